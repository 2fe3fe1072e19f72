package porttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func entryTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-2 insert", testEntryInsert},
		{"OUT-2 no place is given twice", testEntrySeq},
		{"put", testEntryPut},
		{"OUT-9 what is computed is not stored", testEntryComputed},
		{"times", testEntryTimes},
		{"remove", testEntryRemove},
		{"OUT-1 long texts", testEntryLong},
		{"OUT-1 odd names", testEntryNames},
		{"lanes apart", testEntryApart},
		{"misuse", testEntryMisuse},
	}
}

func testEntryInsert(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	want := []outbox.Entry{everything(home(), "ob_9"), prompt(home(), "ob_2"), everything(home(), "ob_5"), prompt(home(), "ob_1")}
	want[1].AcceptedAt = moment(-5000) // a clock stepped back
	for i, e := range want {
		e.Seq, e.Version = int64(100-i), 77 // ignored
		p.lane(home(), func(w storage.LaneWriter) {
			done(w.Insert(e))
			same(t, "inside", bare(*found(w.Entry(e.ID))), want[i])
		})
	}
	p.reopen()
	p.lane(home(), func(w storage.LaneWriter) {
		heads := one(w.Heads())
		var wantHeads []outbox.Entry
		for i, e := range want {
			wantHeads = append(wantHeads, headOf(e))
			whole := found(w.Entry(e.ID))
			same(t, "entry", bare(*whole), e)
			same(t, "order and version in Heads", []int64{heads[i].Seq, heads[i].Version}, []int64{whole.Seq, whole.Version})
			if i > 0 && heads[i].Seq <= heads[i-1].Seq {
				t.Errorf("Seq %d after %d", heads[i].Seq, heads[i-1].Seq)
			}
		}
		same(t, "heads", bares(heads), wantHeads)
		same(t, "held", one(w.Held()), len(want))
		same(t, "absent", found(w.Entry("ob_absent")), nil)
	})
}

// testEntrySeq removes the newest entry before it inserts the next: who pages with
// AfterSeq must see that one.
func testEntrySeq(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	last := int64(0)
	for i := range 4 {
		id := fmt.Sprint("ob_", i)
		p.insert(prompt(neighbours()[i], id))
		p.view(func(r storage.OutboxReader) {
			found := entries(r, storage.EntryQuery{AfterSeq: last})
			same(t, "after the last one", idsIn(found), []string{id})
			last = found[0].Seq
		})
		p.lane(neighbours()[i], func(w storage.LaneWriter) { done(w.Remove(id, outbox.StatusDismissed)) })
		p.reopen()
	}
}

func testEntryPut(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.insert(prompt(home(), "ob_1"), prompt(home(), "ob_2"))
	before := p.counted()
	changed := everything(home(), "ob_1")
	changed.AcceptedAt, changed.ClientMessageID, changed.UserID = moment(1), "", "u"
	changed.Seq, changed.Version = 99, 99 // not what is stored
	p.lane(home(), func(w storage.LaneWriter) {
		head := changed
		head.Text, head.Model = "ignored", nil
		done(w.Put(head, true))
		kept := bare(changed)
		kept.Text, kept.Model = "text of ob_1", nil
		same(t, "textless", bare(*found(w.Entry("ob_1"))), kept)
		done(w.Put(changed, false))
		same(t, "whole", bare(*found(w.Entry("ob_1"))), bare(changed))
	})
	p.reopen()
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "stored", bare(*found(w.Entry("ob_1"))), bare(changed))
		same(t, "other entry", bare(*found(w.Entry("ob_2"))), prompt(home(), "ob_2"))
		same(t, "order", idsIn(one(w.Heads())), []string{"ob_1", "ob_2"})
		plain := headOf(changed)
		done(w.Put(plain, true))
		same(t, "text and model stay", bare(*found(w.Entry("ob_1"))), bare(changed))
	})
	p.lane(home(), func(w storage.LaneWriter) { done(w.Put(prompt(home(), "ob_1"), false)) })
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "fields emptied", bare(*found(w.Entry("ob_1"))), prompt(home(), "ob_1"))
	})
	before["ob_1"] = [2]int64{before["ob_1"][0], before["ob_1"][1] + 4}
	same(t, "order and versions", p.counted(), before)
}

func testEntryComputed(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	e := prompt(home(), "ob_1")
	e.BlockedByInFlight, e.InFlightFor, e.StaleLease, e.BlockedBy = true, time.Second, true, "ob_2"
	p.insert(e)
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "inserted", bare(*found(w.Entry("ob_1"))), prompt(home(), "ob_1"))
		done(w.Put(e, false))
		same(t, "put", bare(*found(w.Entry("ob_1"))), prompt(home(), "ob_1"))
		same(t, "head", bares(one(w.Heads())), []outbox.Entry{headOf(prompt(home(), "ob_1"))})
	})
}

// testEntryTimes stores times of another zone with more than milliseconds.
func testEntryTimes(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	zone := time.FixedZone("far", 5*3600)
	odd := func(ms int64) time.Time { return moment(ms).Add(999_999 * time.Nanosecond).In(zone) }
	e := prompt(home(), "ob_1")
	e.AcceptedAt, e.LastAttemptAt, e.NextAttemptAt, e.PriorSince = odd(1), odd(2), odd(3), odd(4)
	far := ripe(home(), "ob_2", outbox.StatusPending, time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC))
	l := outbox.Lease{Token: "t", Acquired: odd(5), Until: odd(6), Length: 11*time.Millisecond + 999_999*time.Nanosecond}
	d := dedupe(home(), "d", "ob_1")
	d.AcceptedAt = odd(7)
	record := storage.DeliveredRecord{Entry: e, At: odd(8), HookUntil: odd(9)}
	record.Entry.ID = "ob_3"
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.Insert(e))
		done(w.Insert(far))
		done(w.PutLease(l))
		done(w.PutDedupe(d))
		done(w.PutDelivered(record))
	})
	p.must(p.store.Hold(t.Context(), "w", outbox.Hold{Reason: "r", Since: odd(10)}))
	p.reopen()
	var got []time.Time
	p.lane(home(), func(w storage.LaneWriter) {
		e, lease, d, hold := found(w.Entry("ob_1")), found(w.Lease()), found(w.Dedupe("d")), found(w.WorkspaceHold())
		got = []time.Time{
			e.AcceptedAt, e.LastAttemptAt, e.NextAttemptAt, e.PriorSince, lease.Acquired, lease.Until, d.AcceptedAt, hold.Since,
		}
		same(t, "length", lease.Length, 11*time.Millisecond)
		same(t, "far future", bare(*found(w.Entry("ob_2"))), far)
		done(w.DropLease())
	})
	p.view(func(r storage.OutboxReader) {
		record := hooks(r, moment(9), 1)[0]
		got = append(got, record.At, record.HookUntil, record.Entry.AcceptedAt, record.Entry.PriorSince)
		got = append(got, heldIn(r, "w").Since)
		done(r.DueLanes(moment(3), moment(3), func(l storage.DueLane) bool { got = append(got, l.Since); return true }))
	})
	for i, ms := range []int64{1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 1, 4, 10, 3} {
		same(t, fmt.Sprint("time ", i), got[i], moment(ms))
		if got[i].Location() != time.UTC {
			t.Errorf("time %d is in zone %v", i, got[i].Location())
		}
	}
}

func testEntryRemove(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.insert(prompt(home(), "ob_1"), prompt(home(), "ob_2"), prompt(home(), "ob_3"))
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.Remove("ob_2", outbox.StatusDelivered))
		same(t, "inside", idsIn(one(w.Heads())), []string{"ob_1", "ob_3"})
		same(t, "gone", found(w.Entry("ob_2")), nil)
		same(t, "held", one(w.Held()), 2)
	})
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.Remove("ob_1", outbox.StatusDelivered))
		done(w.Remove("ob_3", outbox.StatusDismissed))
		same(t, "held at last", one(w.Held()), 0)
	})
	p.view(func(r storage.OutboxReader) { same(t, "left", entries(r, storage.EntryQuery{}), nil) })
}

// testEntryApart changes one lane and looks at those that are easily taken for it.
func testEntryApart(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	for i, lane := range neighbours() {
		p.lane(lane, func(w storage.LaneWriter) {
			done(w.Insert(prompt(lane, fmt.Sprint("ob_", i))))
			done(w.PutDedupe(dedupe(lane, "d", fmt.Sprint("ob_", i))))
			done(w.PutLease(turn(fmt.Sprint("t", i))))
		})
	}
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "heads", one(w.Heads()), nil)
		same(t, "held", one(w.Held()), 0)
		same(t, "lease", found(w.Lease()), nil)
		same(t, "dedupe", found(w.Dedupe("d")), nil)
		same(t, "entry of another lane", found(w.Entry("ob_0")), nil)
		done(w.PutDedupe(dedupe(home(), "d", "ob_home")))
		done(w.Insert(prompt(home(), "ob_home")))
		done(w.PutLease(turn("t")))
	})
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.Remove("ob_home", outbox.StatusDismissed))
		done(w.DropLease())
	})
	for i, lane := range neighbours() {
		p.lane(lane, func(w storage.LaneWriter) {
			same(t, "heads beside", idsIn(one(w.Heads())), []string{fmt.Sprint("ob_", i)})
			same(t, "dedupe beside", found(w.Dedupe("d")), new(dedupe(lane, "d", fmt.Sprint("ob_", i))))
			same(t, "lease beside", found(w.Lease()).Token, fmt.Sprint("t", i))
		})
	}
}

// testEntryMisuse breaks the conditions of the contract.
func testEntryMisuse(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.furnish()
	stranger := prompt(neighbours()[0], "ob_n1")
	for what, misuse := range map[string]func(storage.LaneWriter) error{
		"insert of a known id":      func(w storage.LaneWriter) error { return w.Insert(prompt(home(), "ob_1")) },
		"insert in another lane":    func(w storage.LaneWriter) error { return w.Insert(prompt(neighbours()[0], "ob_new")) },
		"put of an unknown entry":   func(w storage.LaneWriter) error { return w.Put(prompt(home(), "ob_new"), false) },
		"textless put of none":      func(w storage.LaneWriter) error { return w.Put(prompt(home(), "ob_new"), true) },
		"put in another lane":       func(w storage.LaneWriter) error { return w.Put(stranger, false) },
		"put of another lane":       func(w storage.LaneWriter) error { return w.Put(prompt(home(), "ob_n1"), true) },
		"removal of none":           func(w storage.LaneWriter) error { return w.Remove("ob_new", outbox.StatusDismissed) },
		"removal in another lane":   func(w storage.LaneWriter) error { return w.Remove("ob_n1", outbox.StatusDismissed) },
		"dedupe of another lane":    func(w storage.LaneWriter) error { return w.PutDedupe(dedupe(neighbours()[0], "d", "ob_n1")) },
		"delivered in another lane": func(w storage.LaneWriter) error { return w.PutDelivered(receipt(stranger, moment(1))) },
	} {
		p.refuses(what, home(), misuse)
	}
}
