package porttest

import (
	"fmt"
	"testing"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func hookTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-7 delivered record", testDelivered},
		{"OUT-7 due hooks", testDueHooks},
		{"OUT-7 claim a hook", testClaimHook},
		{"OUT-7 settle a hook", testSettleHook},
		{"OUT-7 racing owners of a hook", testHookRacers},
	}
}

// testDelivered finishes an entry as a settle does.
func testDelivered(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	e := everything(home(), "ob_1")
	p.insert(e, prompt(home(), "ob_2"))
	record := storage.DeliveredRecord{
		Entry: e, At: moment(50), HookOwner: "host ü 1", HookUntil: moment(60), HookRuns: 1 << 20,
	}
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.PutDelivered(record))
		done(w.Remove("ob_1", outbox.StatusDelivered))
		same(t, "left", idsIn(one(w.Heads())), []string{"ob_2"})
	})
	p.reopen()
	p.view(func(r storage.OutboxReader) {
		same(t, "hooks", hooks(r, moment(60), 9), []storage.DeliveredRecord{record})
		same(t, "entries", idsIn(entries(r, storage.EntryQuery{})), []string{"ob_2"})
		same(t, "figures", figures(r), map[string]int64{"entries.pending": 1})
	})
	ended := receipt(prompt(home(), "ob_2"), moment(51))
	ended.HookDone, ended.HookOwner = true, "a" // a worker without a hook
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.PutDelivered(ended))
		done(w.Remove("ob_2", outbox.StatusDelivered))
	})
	p.must(p.store.SettleHook(t.Context(), "ob_2", "a", false, moment(0))) // has no claim to end
	p.view(func(r storage.OutboxReader) {
		same(t, "with one that is done", hooks(r, moment(1000), 9), []storage.DeliveredRecord{record})
	})
	p.claims("ob_2", "a", 0, 0, nil)
}

// claims lets an owner claim and demands what comes of it; nil for nothing.
func (p *post) claims(id, owner string, now, until int64, want *storage.DeliveredRecord) {
	p.t.Helper()
	got, ok, err := p.store.ClaimHook(p.t.Context(), id, owner, moment(now), moment(until))
	p.must(err)
	got.Entry = bare(got.Entry)
	what := fmt.Sprintf("claim of %s by %s at %d", id, owner, now)
	same(p.t, what+" went", ok, want != nil)
	if ok && want != nil {
		same(p.t, what, got, *want)
	}
}

func testDueHooks(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	var want []storage.DeliveredRecord
	for i := range int64(7) {
		place := i * 3 % 7
		record := receipt(everything(append(neighbours(), home())[place%5], fmt.Sprint("ob_", i)), moment(place))
		switch place {
		case 1:
			record.HookOwner, record.HookUntil = "a", moment(100)
		case 2:
			record.HookUntil = moment(101) // again later, and nobody has it
		case 3:
			record.HookOwner, record.HookUntil = "b", moment(101)
		case 4:
			record.HookDone = true
		}
		p.deliver(record)
	}
	p.view(func(r storage.OutboxReader) {
		all := hooks(r, moment(101), 9)
		var at []int64
		for _, record := range all {
			at = append(at, record.At.Sub(moment(0)).Milliseconds())
		}
		same(t, "all, oldest delivery first", at, []int64{0, 1, 2, 3, 5, 6})
		want = append(append(want, all[:2]...), all[4:]...)
		same(t, "due", hooks(r, moment(100), 9), want)
		same(t, "due with a limit", hooks(r, moment(100), 3), want[:3])
		same(t, "due a moment earlier", len(hooks(r, moment(99), 9)), 3)
		same(t, "none", hooks(r, moment(100), 0), nil)
	})
}

func testClaimHook(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	record := receipt(everything(home(), "ob_1"), moment(1))
	p.deliver(record, receipt(prompt(home(), "ob_2"), moment(2)))
	claimed := func(owner string, until int64, runs int) *storage.DeliveredRecord {
		c := record
		c.HookOwner, c.HookUntil, c.HookRuns = owner, moment(until), runs
		return &c
	}
	p.claims("ob_absent", "a", 0, 9, nil)
	p.claims("ob_1", "a", 10, 20, claimed("a", 20, 1))
	p.claims("ob_1", "b", 19, 29, nil)
	p.claims("ob_1", "A", 19, 29, nil)
	p.claims("ob_1", "a", 15, 25, claimed("a", 25, 2))
	p.reopen()
	p.claims("ob_1", "b", 24, 34, nil)
	p.claims("ob_1", "b", 25, 35, claimed("b", 35, 3))
	p.claims("ob_1", "a", 26, 36, nil)
	p.view(func(r storage.OutboxReader) {
		same(t, "hooks while it runs", len(hooks(r, moment(34), 9)), 1)
		same(t, "hooks later", hooks(r, moment(35), 1), []storage.DeliveredRecord{*claimed("b", 35, 3)})
	})
	p.must(p.store.SettleHook(t.Context(), "ob_1", "b", false, moment(99)))
	p.claims("ob_1", "a", 50, 60, claimed("a", 60, 4)) // nobody had it
	p.must(p.store.SettleHook(t.Context(), "ob_1", "a", true, moment(0)))
	p.claims("ob_1", "a", 1000, 1001, nil)
	p.claims("ob_1", "b", 1000, 1001, nil)
}

func testSettleHook(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	ctx := t.Context()
	record := receipt(everything(home(), "ob_1"), moment(1))
	p.deliver(record, receipt(everything(home(), "ob_2"), moment(2)))
	now := func(what string, until int64, want ...storage.DeliveredRecord) {
		t.Helper()
		p.view(func(r storage.OutboxReader) { same(t, what, hooks(r, moment(until), 1), want) })
	}
	p.must(p.store.SettleHook(ctx, "ob_absent", "a", true, moment(0)))
	record.HookOwner, record.HookUntil, record.HookRuns = "a", moment(20), 1
	p.claims("ob_1", "a", 10, 20, &record)
	p.must(p.store.SettleHook(ctx, "ob_1", "b", true, moment(0)))
	p.must(p.store.SettleHook(ctx, "ob_1", "b", false, moment(999)))
	now("settled by another owner", 20, record)
	record.HookOwner, record.HookUntil = "", moment(40)
	p.must(p.store.SettleHook(ctx, "ob_1", "a", false, moment(40)))
	now("again later", 40, record)
	p.view(func(r storage.OutboxReader) { same(t, "not before", idOf(hooks(r, moment(39), 1)), "ob_2") })
	record.HookOwner, record.HookUntil, record.HookRuns = "b", moment(50), 2
	p.claims("ob_1", "b", 40, 50, &record)
	p.must(p.store.SettleHook(ctx, "ob_1", "a", true, moment(0)))
	now("settled by its last owner", 50, record)
	p.must(p.store.SettleHook(ctx, "ob_1", "b", true, moment(0))) // even past its time
	p.reopen()
	p.view(func(r storage.OutboxReader) {
		same(t, "done", idOf(hooks(r, moment(1000), 1)), "ob_2")
		same(t, "the other", bare(hooks(r, moment(1000), 1)[0].Entry), everything(home(), "ob_2"))
	})
	p.must(p.store.SettleHook(ctx, "ob_1", "b", false, moment(60)))
	p.view(func(r storage.OutboxReader) { same(t, "done for good", idOf(hooks(r, moment(1000), 1)), "ob_2") })
	p.forgettable(1)
	p.forgets(1000, 9, 1)
}

func idOf(records []storage.DeliveredRecord) string {
	if len(records) == 0 {
		return ""
	}
	return records[0].Entry.ID
}

// testHookRacers lets many owners claim one record at once, again after its time,
// and in the end all settle.
func testHookRacers(t *testing.T, f OutboxFactory) {
	const racers = 16
	p := staff(t, f)
	stores := []OutboxStore{p.store, p.another()}
	p.deliver(receipt(everything(home(), "ob_1"), moment(1)))
	for round := range 3 {
		now := int64(round * 100)
		won := make([]bool, racers)
		together(t, racers, func(i int) (err error) {
			_, won[i], err = stores[i%2].ClaimHook(t.Context(), "ob_1", fmt.Sprint("r", round, " ", i), moment(now), moment(now+100))
			return err
		})
		winners := 0
		for _, ok := range won {
			if ok {
				winners++
			}
		}
		same(t, "winners", winners, 1)
		p.view(func(r storage.OutboxReader) { same(t, "runs", hooks(r, moment(now+100), 1)[0].HookRuns, round+1) })
	}
}
