package porttest

import (
	"fmt"
	"testing"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func recordTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-1 dedupe", testOutboxDedupe},
		{"OUT-1 final dedupe", testFinal},
		{"OUT-7 forget", testOutboxForget},
		{"OUT-7 forget never what lives", testForgetLiving},
		{"OUT-7 forget up to a limit", testForgetLimit},
	}
}

func testOutboxDedupe(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	record := outbox.Dedupe{
		Lane: home(), ClientMessageID: "d", EntryID: "ob_1", Digest: "0af", AcceptedAt: moment(3), Final: outbox.StatusDelivered,
	}
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "none", found(w.Dedupe("d")), nil)
		done(w.PutDedupe(record))
		same(t, "inside", found(w.Dedupe("d")), &record)
		same(t, "another case", found(w.Dedupe("D")), nil)
	})
	p.reopen()
	again := dedupe(home(), "d", "ob_2")
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "stored", found(w.Dedupe("d")), &record)
		done(w.PutDedupe(again))
		done(w.PutDedupe(dedupe(home(), "e", "ob_3")))
		same(t, "replaced", found(w.Dedupe("d")), &again)
	})
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "replaced for good", found(w.Dedupe("d")), &again)
		same(t, "the other", found(w.Dedupe("e")), new(dedupe(home(), "e", "ob_3")))
	})
}

// testFinal removes entries: only the records that name them learn of it.
func testFinal(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	other := neighbours()[1]
	p.lane(home(), func(w storage.LaneWriter) {
		for id, message := range map[string]string{"ob_1": "d", "ob_2": "e", "ob_3": "ü", "ob_4": "", "ob_5": "d2"} {
			e := prompt(home(), id)
			e.ClientMessageID = message
			done(w.Insert(e))
			if message != "" {
				done(w.PutDedupe(dedupe(home(), message, id)))
			}
		}
		done(w.PutDedupe(dedupe(home(), "d2", "ob_later"))) // accepted anew
	})
	p.lane(other, func(w storage.LaneWriter) { done(w.PutDedupe(dedupe(other, "d", "ob_1"))) })
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.Remove("ob_1", outbox.StatusDelivered))
		done(w.Remove("ob_2", outbox.StatusDismissed))
		done(w.Remove("ob_4", outbox.StatusDismissed)) // has no record
		done(w.Remove("ob_5", outbox.StatusDismissed)) // has none any more
	})
	final := func(message, entry, final string) *outbox.Dedupe {
		record := dedupe(home(), message, entry)
		record.Final = final
		return &record
	}
	p.reopen()
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "delivered", found(w.Dedupe("d")), final("d", "ob_1", outbox.StatusDelivered))
		same(t, "dismissed", found(w.Dedupe("e")), final("e", "ob_2", outbox.StatusDismissed))
		same(t, "living", found(w.Dedupe("ü")), final("ü", "ob_3", ""))
		same(t, "of a later entry", found(w.Dedupe("d2")), final("d2", "ob_later", ""))
		same(t, "none", found(w.Dedupe("")), nil)
	})
	p.lane(other, func(w storage.LaneWriter) {
		same(t, "in another lane", found(w.Dedupe("d")), new(dedupe(other, "d", "ob_1")))
	})
}

// aged stores a delivered record with a done hook.
func (p *post) aged(id string, ms int64) {
	p.t.Helper()
	record := receipt(prompt(home(), id), moment(ms))
	record.HookDone = true
	p.deliver(record)
}

// settled stores a dedupe record whose entry is gone.
func (p *post) settled(message string, ms int64) {
	p.t.Helper()
	record := dedupe(home(), message, "ob_"+message)
	record.AcceptedAt, record.Final = moment(ms), outbox.StatusDismissed
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutDedupe(record)) })
}

// forgets demands that Forget deletes so many.
func (p *post) forgets(before int64, limit, want int) {
	p.t.Helper()
	same(p.t, fmt.Sprintf("forgotten before %d up to %d", before, limit),
		answer(p.store.Forget(p.t.Context(), moment(before), limit))(p.t), want)
}

// forgettable demands that there is something to forget before a time, and nothing
// a millisecond earlier; 0 for nothing at all.
func (p *post) forgettable(oldest int64) {
	p.t.Helper()
	p.view(func(r storage.OutboxReader) {
		if oldest == 0 {
			same(p.t, "forgettable", one(r.Forgettable(moment(1<<40))), false)
			return
		}
		same(p.t, fmt.Sprint("forgettable before ", oldest), one(r.Forgettable(moment(oldest))), false)
		same(p.t, fmt.Sprint("forgettable after ", oldest), one(r.Forgettable(moment(oldest+1))), true)
	})
}

func testOutboxForget(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.forgettable(0)
	p.aged("ob_2", 20)
	p.aged("ob_1", 10)
	p.aged("ob_3", 30)
	p.forgettable(10)
	p.forgets(10, 9, 0)
	p.forgets(11, 9, 1)
	p.forgettable(20)
	p.settled("e", 15)
	p.settled("d", 25)
	p.forgettable(15)
	p.forgets(20, 9, 1)
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "old", found(w.Dedupe("e")), nil)
		same(t, "young", found(w.Dedupe("d")).EntryID, "ob_d")
	})
	p.reopen()
	p.forgettable(20)
	p.forgets(1000, 9, 3)
	p.forgettable(0)
	p.forgets(1000, 9, 0)
}

func testForgetLiving(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	living := prompt(home(), "ob_1")
	living.ClientMessageID = "d"
	p.insert(living)
	record := dedupe(home(), "d", "ob_1")
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutDedupe(record)) })
	waiting := receipt(everything(home(), "ob_2"), moment(1))
	running := receipt(everything(home(), "ob_3"), moment(2))
	running.HookOwner, running.HookUntil, running.HookRuns = "a", moment(3), 4
	p.deliver(waiting, running)
	p.forgettable(0)
	p.forgets(1<<40, 99, 0)
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "record of a living entry", found(w.Dedupe("d")), &record)
		same(t, "living entry", bare(*found(w.Entry("ob_1"))), living)
	})
	p.view(func(r storage.OutboxReader) {
		same(t, "hooks", hooks(r, moment(3), 9), []storage.DeliveredRecord{waiting, running})
	})
}

// testForgetLimit looks at each kind by itself, then at both together.
func testForgetLimit(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.forgets(1000, 0, 0)
	for i := range int64(5) {
		p.aged(fmt.Sprint("ob_", i*2%5), 10+i*2%5) // 0, 2, 4, 1, 3
	}
	p.forgets(1000, 0, 0)
	p.forgettable(10)
	p.forgets(1000, 2, 2)
	p.forgettable(12)
	p.forgets(13, 2, 1)
	p.forgettable(13)
	p.forgets(1000, 9, 2)
	for i := range int64(5) {
		p.settled(fmt.Sprint("m", i*2%5), 10+i*2%5)
	}
	p.forgets(1000, 3, 3)
	p.lane(home(), func(w storage.LaneWriter) {
		for i := range int64(5) {
			same(t, fmt.Sprint("record ", i, " is left"), found(w.Dedupe(fmt.Sprint("m", i))) != nil, i >= 3)
		}
	})
	p.aged("ob_1", 12) // beside records of 13 and 14
	p.settled("m1", 15)
	p.aged("ob_2", 16)
	p.forgets(1000, 2, 2)
	p.forgettable(14)
	p.forgets(1000, 2, 2)
	p.forgettable(16)
	p.forgets(1000, 2, 1)
	p.forgettable(0)
}
