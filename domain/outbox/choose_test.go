package outbox

import (
	"testing"
	"time"
)

func named(id string, e Entry) Entry { e.ID = id; return e }

// OUT-2, OUT-3: the one action on a lane.
func TestOUT2_Choose(t *testing.T) {
	late := due(time.Minute)
	tests := []struct {
		name    string
		policy  Policy
		entries []Entry
		order   Order
		id      string
		action  Action
	}{
		{"nothing", policy(), nil, OrderDue, "", Rest},
		{"pending", policy(), []Entry{named("a", pending())}, OrderDue, "a", Ship},
		{"not due", policy(), []Entry{named("a", pending(late))}, OrderDue, "", Rest},
		{"the first accepted", policy(), []Entry{named("a", pending(due(0))), named("b", pending(due(-hour)))}, OrderDue, "a", Ship},
		{"the first due", policy(), []Entry{named("a", pending(late)), named("b", pending())}, OrderDue, "b", Ship},
		{"behind error", policy(), []Entry{named("a", errored()), named("b", pending())}, OrderDue, "b", Ship},
		{"behind parked", policy(), []Entry{named("a", aside(pending())), named("b", pending())}, OrderDue, "b", Ship},
		{"behind verifying", policy(), []Entry{named("a", verifying(late)), named("b", pending())}, OrderDue, "b", Ship},
		{"behind a prior attempt", policy(), []Entry{named("a", waiting(late)), named("b", pending())}, OrderDue, "b", Ship},
		{"ask again", policy(), []Entry{named("a", waiting())}, OrderDue, "a", Ship},
		{"one at a time", policy(), []Entry{named("a", pending()), named("b", sending())}, OrderDue, "", Rest},
		{"one at a time, parked", policy(), []Entry{named("a", pending()), named("b", aside(sending()))}, OrderDue, "", Rest},
		{"one at a time, unparked", policy(), []Entry{named("a", sending(status(StatusVerifying))), named("b", pending())}, OrderDue, "", Rest},
		{"verify", policy(), []Entry{named("a", verifying())}, OrderDue, "a", Verify},
		{"verify, with a ledger", policy(ledgered, verifiable), []Entry{named("a", verifying())}, OrderDue, "a", Verify},
		{"verify before a later send", policy(), []Entry{named("a", verifying()), named("b", pending())}, OrderDue, "a", Verify},
		{"idempotent", policy(idempotent), []Entry{named("a", verifying())}, OrderDue, "a", Ship},
		{"idempotent, the last", policy(idempotent), []Entry{named("a", verifying(passes(39)))}, OrderDue, "a", Ship},
		{"idempotent, at the bound", policy(idempotent), []Entry{named("a", verifying(passes(40)))}, OrderDue, "a", Verify},
		{"prior attempt of unknown fate", policy(), []Entry{named("a", waiting(unknown))}, OrderDue, "a", Verify},
		{"prior attempt of unknown fate, idempotent", policy(idempotent), []Entry{named("a", waiting(unknown))}, OrderDue, "a", Ship},
		{"pending, and yet unknown", policy(), []Entry{named("a", pending(unknown))}, OrderDue, "a", Verify},
		{"strict", policy(), []Entry{named("a", pending()), named("b", pending())}, OrderStrict, "a", Ship},
		{"strict, the head verifies", policy(), []Entry{named("a", verifying()), named("b", pending())}, OrderStrict, "a", Verify},
		{"strict, the head backs off", policy(), []Entry{named("a", pending(late)), named("b", pending())}, OrderStrict, "", Rest},
		{"strict, the head errs", policy(), []Entry{named("a", errored()), named("b", pending())}, OrderStrict, "", Rest},
		{"strict, the head is parked", policy(), []Entry{named("a", aside(pending())), named("b", pending())}, OrderStrict, "", Rest},
		{"strict, the head is asked about", policy(), []Entry{named("a", waiting(late)), named("b", pending())}, OrderStrict, "", Rest},
		{"behind an unreadable one", policy(), []Entry{named("a", unreadable(pending())), named("b", pending())}, OrderDue, "b", Ship},
		{"behind an unreadable one with a token", policy(idempotent), []Entry{named("a", unreadable(sending(unknown))), named("b", pending())}, OrderDue, "b", Ship},
		{"an unreadable one alone", policy(idempotent), []Entry{named("a", unreadable(verifying()))}, OrderDue, "", Rest},
		{"strict, the head is unreadable", policy(), []Entry{named("a", unreadable(pending())), named("b", pending())}, OrderStrict, "", Rest},
		{"strict, the head is unreadable with a token", policy(), []Entry{named("a", unreadable(sending())), named("b", pending())}, OrderStrict, "", Rest},
		{"strict, unreadable behind the head", policy(), []Entry{named("a", pending()), named("b", unreadable(sending()))}, OrderStrict, "a", Ship},
		{"no order is due", policy(), []Entry{named("a", errored()), named("b", pending())}, "", "b", Ship},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, action := tt.policy.Choose(tt.entries, tt.order, at())
			if action != tt.action || action != Rest && e.ID != tt.id {
				t.Errorf("chose %d on %q", action, e.ID)
			}
			if action == Ship {
				if _, _, err := tt.policy.Next(e, StageOut{Token: "t"}, at()); err != nil {
					t.Errorf("cannot be staged out: %v", err)
				}
			}
			if action == Verify {
				if _, _, err := tt.policy.Next(e, Verified{}, at()); err != nil {
					t.Errorf("cannot be verified: %v", err)
				}
			}
		})
	}
}
