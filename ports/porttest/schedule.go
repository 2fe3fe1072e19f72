package porttest

import (
	"fmt"
	"math"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func scheduleTopics() []topic {
	return []topic{
		{"TIME-1 scheduled", testScheduled},
		{"TIME-1 numbers", testNumbers},
		{"TIME-3 ripe", testRipe},
		{"TIME-5 dedupe of what waits", testWaitingDedupe},
		{"TIME-6 expiry", testExpiry},
		{"TIME-8 expired", testExpired},
		{"VIEW-7 first since", testFirstSince},
	}
}

// waiting is a message, each field with a value of its own.
func waiting(queue string, at int64) inbox.Scheduled {
	key := "k " + queue
	return inbox.Scheduled{
		Queue: queue, Key: &key, Payload: fmt.Appendf(nil, `{"at":%d,"n":1e400}`, at), Dedupe: "d",
		At: at, MadeAt: at - 60, Delayed: true, ExpiresAt: at + 600,
	}
}

// plain is one without what is optional.
func plain(queue string, at int64) inbox.Scheduled {
	return inbox.Scheduled{Queue: queue, Payload: []byte("1"), At: at}
}

func schedule(w storage.Writer, s inbox.Scheduled) inbox.Scheduled {
	s.Number = one(w.Schedule(s))
	return s
}

// scheduled lists what a query selects.
func scheduled(r storage.Reader, query storage.ScheduleQuery) []inbox.Scheduled {
	var all []inbox.Scheduled
	done(r.Scheduled(query, func(s inbox.Scheduled) (bool, error) {
		all = append(all, s)
		return true, nil
	}))
	return all
}

func testScheduled(t *testing.T, f Factory) {
	s := settle(t, f)
	s.view(func(r storage.Reader) {
		same(t, "where nothing is", scheduled(r, storage.ScheduleQuery{}), nil)
		same(t, "counts where nothing is", one(r.ScheduledCounts()), nil)
	})
	var late, early, other, bare inbox.Scheduled
	s.update(func(w storage.Writer) {
		late, early = schedule(w, waiting("q", noon+9)), schedule(w, waiting("q", noon))
		other, bare = schedule(w, waiting("other", noon+5)), schedule(w, plain("q", noon+9))
	})
	s.reopen()
	heads := early
	heads.Payload = nil
	s.view(func(r storage.Reader) {
		same(t, "all", scheduled(r, storage.ScheduleQuery{}), []inbox.Scheduled{early, other, late, bare})
		same(t, "a queue", scheduled(r, storage.ScheduleQuery{Queue: "q"}), []inbox.Scheduled{early, late, bare})
		same(t, "a number", scheduled(r, storage.ScheduleQuery{Number: other.Number}), []inbox.Scheduled{other})
		same(t, "another queue's", scheduled(r, storage.ScheduleQuery{Queue: "q", Number: other.Number}), nil)
		same(t, "heads", scheduled(r, storage.ScheduleQuery{HeadsOnly: true, Limit: 1}), []inbox.Scheduled{heads})
		same(t, "counts", one(r.ScheduledCounts()), []inbox.QueueCount{{Queue: "other", Count: 1}, {Queue: "q", Count: 3}})
		same(t, "queues, which hold no item", one(r.Queues()), nil)
		n := 0
		done(r.Scheduled(storage.ScheduleQuery{}, func(inbox.Scheduled) (bool, error) { n++; return false, nil }))
		same(t, "handed over after no", n, 1)
	})
	s.try(func(w storage.Writer) { done(w.Unschedule([]int64{1, 2, 3, 4})) })
	s.update(func(w storage.Writer) { done(w.Unschedule([]int64{late.Number, other.Number, 99, -1})) })
	s.view(func(r storage.Reader) {
		same(t, "what is left", scheduled(r, storage.ScheduleQuery{}), []inbox.Scheduled{early, bare})
	})
}

func testNumbers(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		done(w.Unschedule([]int64{1}))
		same(t, "first", one(w.Schedule(plain("q", noon))), 1)
		same(t, "id of an item", one(w.Insert(letter("q", "1", noon))), 1)
		same(t, "second", one(w.Schedule(plain("q", noon))), 2)
		done(w.Unschedule([]int64{1, 2}))
	})
	s.reopen()
	s.update(func(w storage.Writer) { same(t, "after all are gone", one(w.Schedule(plain("q", noon))), 3) })
}

func testRipe(t *testing.T, f Factory) {
	s := settle(t, f)
	var due, coming, named inbox.Scheduled
	s.update(func(w storage.Writer) {
		coming = schedule(w, waiting("q", noon+1))
		due = schedule(w, waiting("q", noon))
		named = schedule(w, plain("q", noon+2)) // for a time, not after a delay
		schedule(w, waiting("other", noon))
	})
	ripe := func(at, after int64, limit int) storage.ScheduleQuery {
		return storage.ScheduleQuery{Queue: "q", Ripe: &inbox.Ripe{AtMost: at, MadeAfter: after}, Limit: limit}
	}
	s.view(func(r storage.Reader) {
		same(t, "none yet", scheduled(r, ripe(noon-1, noon, 0)), nil)
		same(t, "at the second", scheduled(r, ripe(noon, noon, 0)), []inbox.Scheduled{due})
		same(t, "made later", scheduled(r, ripe(noon-1, noon-60, 0)), []inbox.Scheduled{coming})
		same(t, "made later still", scheduled(r, ripe(0, 0, 0)), []inbox.Scheduled{due, coming})
		same(t, "either", scheduled(r, ripe(noon+2, 0, 0)), []inbox.Scheduled{due, coming, named})
		same(t, "the first", scheduled(r, ripe(noon+2, 0, 1)), []inbox.Scheduled{due})
	})
}

func testWaitingDedupe(t *testing.T, f Factory) {
	s := settle(t, f)
	waits := inbox.Dedupe{Queue: "q", ID: "d", Scheduled: 7, At: noon}
	stored := inbox.Dedupe{Queue: "q", ID: "e", Item: 7, At: noon}
	s.update(func(w storage.Writer) { done(w.PutDedupe(waits)); done(w.PutDedupe(stored)) })
	s.view(func(r storage.Reader) {
		same(t, "of what waits", found(r.Dedupe("q", "d")), &waits)
		same(t, "of an item", found(r.Dedupe("q", "e")), &stored)
	})
	waits.Item, waits.Scheduled = 9, 0
	s.update(func(w storage.Writer) { done(w.PutDedupe(waits)) })
	s.view(func(r storage.Reader) { same(t, "of what was released", found(r.Dedupe("q", "d")), &waits) })
}

func testExpiry(t *testing.T, f Factory) {
	s := settle(t, f)
	ever := letter("q", "1", noon)
	ends := keyed(letter("q", "2", noon), "k")
	ends.ExpiresAt = noon + 60
	s.update(func(w storage.Writer) { ever = insert(w, ever) })
	s.update(func(w storage.Writer) { ends = insert(w, ends); ever.ID = 1 })
	key := "k"
	s.view(func(r storage.Reader) {
		same(t, "one that stays", found(r.Item(1)), &ever)
		same(t, "one that expires", found(r.Item(2)), &ends)
		same(t, "scanned", all(r, storage.Scan{Queue: "q"}), []inbox.Item{ever, ends})
		same(t, "by key", all(r, storage.Scan{Queue: "q", Key: &key, Descending: true}), []inbox.Item{ends})
		head := inbox.Item{ID: 2, Queue: "q", CreatedAt: noon, ExpiresAt: noon + 60}
		same(t, "a head", all(r, storage.Scan{Queue: "q", After: 1, HeadsOnly: true}), []inbox.Item{head})
		same(t, "expiries", one(r.Expiries([]int64{1, 2, 3})), map[int64]int64{2: noon + 60})
		same(t, "no expiries", one(r.Expiries(nil)), nil)
	})
	s.update(func(w storage.Writer) { done(w.Remove("q", []int64{1, 2})) })
	s.view(func(r storage.Reader) {
		same(t, "expiries of what is gone", one(r.Expiries([]int64{2})), nil)
		same(t, "expired of what is gone", one(r.Expired("q", math.MaxInt32, 9)), nil)
	})
}

func testExpired(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		for _, until := range []int64{0, 50, 10, 40, 10} {
			item := letter("q", "1", noon)
			item.ExpiresAt = until
			insert(w, item)
		}
		item := letter("other", "1", noon)
		item.ExpiresAt = 5
		insert(w, item)
	})
	s.view(func(r storage.Reader) {
		same(t, "none", one(r.Expired("q", 9, 9)), nil)
		same(t, "at the second", one(r.Expired("q", 10, 9)), []int64{3, 5})
		same(t, "by id", one(r.Expired("q", 50, 9)), []int64{2, 3, 4, 5})
		same(t, "those that expire first", one(r.Expired("q", 50, 3)), []int64{3, 4, 5})
		same(t, "absent queue", one(r.Expired("absent", 50, 3)), nil)
	})
}

func testFirstSince(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		insert(w, letter("other", "1", noon+9))
		for _, created := range []int64{noon, noon + 5, noon - 5, noon + 7} {
			insert(w, letter("q", "1", created))
		}
	})
	s.view(func(r storage.Reader) {
		for since, want := range map[int64]int64{0: 2, noon: 2, noon + 1: 3, noon + 5: 3, noon + 6: 5, noon + 8: 0} {
			same(t, fmt.Sprintf("since %d", since), one(r.FirstSince("q", since)), want)
		}
		same(t, "absent queue", one(r.FirstSince("absent", 0)), 0)
	})
}

// schedule has a message wait.
func (s *script) schedule(w storage.Writer) {
	message := inbox.Scheduled{Queue: s.queue(), Key: s.key(), At: s.time(), Payload: fmt.Appendf(nil, `{"n":%d}`, s.rng.IntN(1000))}
	if s.rng.IntN(2) == 0 {
		message.Delayed, message.MadeAt = true, s.time()
	}
	if s.rng.IntN(3) == 0 {
		message.Dedupe, message.ExpiresAt = pick(s, ids()), s.time()
		done(w.PutDedupe(inbox.Dedupe{Queue: message.Queue, ID: message.Dedupe, Scheduled: 1 + s.small(), At: s.time()}))
	}
	message.Number = one(w.Schedule(message))
	s.note("schedule %s", written(message))
}

func (s *script) unschedule(w storage.Writer) {
	numbers := []int64{s.rng.Int64N(20), s.rng.Int64N(20)}
	s.note("unschedule %v", numbers)
	done(w.Unschedule(numbers))
}

// askExtras asks one random question about what waits and what expires.
func (s *script) askExtras(r storage.Reader) {
	queue := s.queue()
	switch s.rng.IntN(4) {
	case 0:
		ripe := inbox.Ripe{AtMost: s.time(), MadeAfter: s.time()}
		s.note("ripe in %q %v: %s", queue, ripe, written(list(scheduled(r, storage.ScheduleQuery{Queue: queue, Ripe: &ripe, Limit: int(s.small())}))))
	case 1:
		query := storage.ScheduleQuery{Number: s.small(), Limit: int(s.small()), HeadsOnly: s.rng.IntN(2) == 0}
		s.note("waiting %v: %s", query, written(list(scheduled(r, query))))
	case 2:
		at, limit := s.time(), 1+s.rng.IntN(3)
		s.note("expired in %q by %d, %d: %v", queue, at, limit, one(r.Expired(queue, at, limit)))
	case 3:
		since := s.time()
		s.note("first in %q since %d: %d", queue, since, one(r.FirstSince(queue, since)))
	}
}
