package porttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// The size of the comparison: a few thousand operations in all.
const (
	transcriptSeeds = 8
	transactions    = 40 // a seed
)

// compare demands that subject and oracle answer the same to the same random
// operations. A seed that fails, fails always.
func compare(t *testing.T, subject, oracle Factory) {
	for seed := range uint64(transcriptSeeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			want := transcript(t, oracle, seed)
			got := transcript(t, subject, seed)
			for i := range max(len(want), len(got)) {
				if line(got, i) != line(want, i) {
					t.Fatalf("after\n%s\nthe oracle has\n%s\nand the subject\n%s",
						strings.Join(got[max(0, i-12):i], "\n"), line(want, i), line(got, i))
				}
			}
		})
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing more"
}

// transcript does a random sequence of operations, which the seed and the answers
// determine, and gives a line for each.
func transcript(t *testing.T, f Factory, seed uint64) []string {
	t.Helper()
	s := settle(t, f)
	script := &script{rng: rand.New(rand.NewPCG(seed, 7)), stores: []*site{s, {t: t, place: s.place}}}
	script.stores[1].store = s.place.Open(t)
	t.Cleanup(func() { s.close(script.stores[1].store) })
	for n := range transactions {
		if seed%2 == 1 && n > transactions/4 {
			script.extras = 1
		}
		script.transaction(t)
	}
	return script.lines
}

// script is a transcript in the making.
type script struct {
	rng    *rand.Rand
	extras int     // 1 when messages wait and items expire, which a database has tables for from then on; else 0
	stores []*site // two handles on one place
	lines  []string
}

func (s *script) note(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *script) transaction(t *testing.T) {
	t.Helper()
	n := s.rng.IntN(len(s.stores))
	if s.rng.IntN(8) == 0 {
		s.note("reopen store %d", n)
		s.stores[n].reopen()
	}
	s.write(t, s.stores[n].store)
	reading := s.stores[s.rng.IntN(len(s.stores))]
	reading.view(func(r storage.Reader) {
		for range 6 {
			s.ask(r)
		}
		if s.rng.IntN(3) == 0 {
			s.lines = append(s.lines, strings.Split(dump(r, queues()...), "\n")...)
		}
	})
}

// write runs some changes in one Update, which now and then fails, panics or
// outlives its context.
func (s *script) write(t *testing.T, store storage.Store) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	fate := s.rng.IntN(12)
	err := panics(func() error {
		return store.Update(ctx, func(w storage.Writer) error {
			for range 1 + s.rng.IntN(9) {
				s.change(w)
				if s.rng.IntN(3) == 0 {
					s.ask(w)
				}
			}
			switch fate {
			case 0:
				return errTry
			case 1:
				panic(errTry)
			case 2:
				cancel(errTry)
			}
			return nil
		})
	})
	switch {
	case err == nil:
		s.note("commit")
	case errors.Is(err, errTry):
		s.note("rollback %d", fate)
	default:
		t.Fatalf("after\n%s\nUpdate: %v", strings.Join(s.lines[max(0, len(s.lines)-12):], "\n"), err)
	}
}

// panics turns panics that are meant and failed answers into errors.
func panics(fn func() error) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("%s: %w", f.where, f.err)
		case error:
			err = f
		default:
			panic(f)
		}
	}()
	return fn()
}

// The small world of a transcript: names that collide often.
func queues() []string      { return []string{"q", "Q", "ü 'x'"} }
func keys() []string        { return []string{"k", "K", "1"} }
func subscribers() []string { return []string{"v", "w", "W.1"} }
func subscriptions() []string {
	return []string{"s", "S", "s-2", "t"}
}

// pick picks one of a list.
func pick[T any](s *script, list []T) T { return list[s.rng.IntN(len(list))] }

func (s *script) queue() string        { return pick(s, queues()) }
func (s *script) subscription() string { return pick(s, subscriptions()) }
func (s *script) subscriber() string   { return pick(s, subscribers()) }
func (s *script) time() int64          { return noon + s.rng.Int64N(40) }
func (s *script) small() int64         { return s.rng.Int64N(4) }

func (s *script) key() *string {
	if i := s.rng.IntN(len(keys()) + 1); i < len(keys()) {
		return &keys()[i]
	}
	return nil
}

// item is the id of an item that was there at some time, or of none.
func (s *script) item(r storage.Reader) int64 {
	newest := int64(1)
	for _, queue := range queues() {
		newest = max(newest, one(r.Newest(queue)))
	}
	return s.rng.Int64N(newest + 2)
}

func (s *script) items(r storage.Reader) []int64 {
	ids := make([]int64, s.rng.IntN(6))
	for i := range ids {
		ids[i] = s.item(r)
	}
	return ids
}

func (s *script) counts() inbox.Counts {
	return inbox.Counts{Dropped: s.small(), Errors: s.small(), Parked: s.small()}
}

func (s *script) lastError() string { return pick(s, []string{"", "failed", "ü\n\"quoted\""}) }

func (s *script) expiry() *inbox.Expiry {
	if s.rng.IntN(2) == 0 {
		return nil
	}
	return &inbox.Expiry{UntilAtMost: s.time(), GrantedAfter: s.time()}
}

func (s *script) query() storage.LeaseQuery {
	return storage.LeaseQuery{
		State: storage.LeaseState(s.rng.IntN(3)), Ended: s.expiry(),
		MinAttempts: s.small(), BelowAttempts: s.small(), Limit: int(s.small()),
	}
}
