package outbox

import (
	"strings"
	"testing"
	"time"
)

// OUT-13: a send begins, and nothing but a send begins a number.
func TestOUT13_StageOut(t *testing.T) {
	stage := StageOut{Token: "t9", Deliverer: "exec", PeerID: "p9"}
	staged := func(e *Entry) {
		e.Status, e.SendToken, e.Deliverer, e.PeerID, e.NextAttemptAt = StatusDelivering, "t9", "exec", "p9", time.Time{}
	}
	minted := func(e *Entry) { e.AttemptNo++; e.LastAttemptAt = at() }
	first, again := []Effect{Stage, Send}, []Effect{Send}
	run(t, []row{
		{"pending, at once", policy(), pending(), stage, []change{staged, minted}, first, nil},
		{"pending, due", policy(), pending(due(0)), stage, []change{staged, minted}, first, nil},
		{"pending, a failure behind it", policy(), sending(idle, status(StatusPending)), stage, []change{staged, minted}, first, nil},
		{"pending, not due", policy(), pending(due(1)), stage, nil, nil, WrongState},
		{"pending, due beyond every delay", policy(), pending(due(hour + 1)), stage, []change{staged, minted}, first, nil},
		{"prior attempt pending, due", policy(), waiting(), stage, []change{staged}, again, nil},
		{"prior attempt pending, not due", policy(), waiting(due(1)), stage, nil, nil, WrongState},
		{"unknown", policy(), verifying(), stage, nil, nil, WrongState},
		{"unknown, with a verifier", policy(verifiable, ledgered), verifying(), stage, nil, nil, WrongState},
		{"unknown, idempotent", policy(idempotent), verifying(passes(39)), stage, []change{staged}, again, nil},
		{"unknown, idempotent, not due", policy(idempotent), verifying(due(1)), stage, nil, nil, WrongState},
		{"unknown, idempotent, at the bound", policy(idempotent), verifying(passes(40)), stage, nil, nil, WrongState},
		{"unknown, prior attempt pending", policy(verifiable), waiting(unknown), stage, nil, nil, WrongState},
		{"unknown, prior attempt pending, idempotent", policy(idempotent), waiting(unknown), stage, []change{staged}, again, nil},
		{"pending, and yet unknown", policy(), pending(unknown), stage, nil, nil, WrongState},
		{"sending", policy(idempotent), sending(), stage, nil, nil, WrongState},
		{"error", policy(idempotent), errored(), stage, nil, nil, WrongState},
		{"error, unknown", policy(idempotent), doubted(), stage, nil, nil, WrongState},
		{"parked", policy(), aside(pending()), stage, nil, nil, WrongState},
		{"parked, was verifying", policy(idempotent), aside(verifying()), stage, nil, nil, WrongState},
		{"unparked while its send runs", policy(idempotent), sending(status(StatusVerifying)), stage, nil, nil, WrongState},
	})
}

// OUT-13: what a send comes to.
func TestOUT13_Settled(t *testing.T) {
	finish := []Effect{Finish}
	run(t, []row{
		{"delivered", policy(), sending(), settled(Delivered), nil, finish, nil},
		{"delivered, the ledger is not asked", policy(ledgered), sending(), settled(Delivered), nil, finish, nil},
		{"delivered at second hand", policy(idempotent), sending(unknown), settled(Delivered), nil, finish, nil},
		{"ambiguous", policy(), sending(passes(7)), settled(UnknownOutcome),
			[]change{idle, unknown, says("said so"), status(StatusVerifying), passes(0), due(3 * time.Second)}, nil, nil},
		{"prior attempt pending", policy(), sending(), settled(PriorPending),
			[]change{idle, says("said so"), due(15 * time.Second), func(e *Entry) { e.PriorSince = at() }}, nil, nil},
		{"prior attempt pending still", policy(), with(waiting(), func(e *Entry) { e.SendToken = token }), settled(PriorPending),
			[]change{idle, says("said so"), due(15 * time.Second)}, nil, nil},
		{"prior attempt pending, unknown", policy(), sending(unknown, passes(39)), settled(PriorPending),
			[]change{idle, says("said so"), due(15 * time.Second), func(e *Entry) { e.PriorSince = at() }}, nil, nil},
		{"transient", policy(), sending(), settled(TransientOutcome),
			[]change{idle, says("said so"), status(StatusPending), transients(1), failedNo(2), due(10 * time.Second)}, nil, nil},
		{"transient, the 19th", policy(), sending(transients(18)), settled(TransientOutcome),
			[]change{idle, says("said so"), status(StatusPending), transients(19), failedNo(2), due(2 * time.Minute)}, nil, nil},
		{"transient, the 20th", policy(), sending(transients(19)), settled(TransientOutcome),
			[]change{idle, says("said so"), status(StatusError), reason(ReasonUnreachable), transients(20), failedNo(2)}, nil, nil},
		{"definitive", policy(), sending(attempts(0)), settled(Definitive),
			[]change{idle, says("said so"), status(StatusPending), attempts(1), failedNo(2), due(10 * time.Second)}, nil, nil},
		{"definitive, the 4th", policy(), sending(attempts(3)), settled(Definitive),
			[]change{idle, says("said so"), status(StatusPending), attempts(4), failedNo(2), due(80 * time.Second)}, nil, nil},
		{"definitive, the 5th", policy(), sending(attempts(4)), settled(Definitive),
			[]change{idle, says("said so"), status(StatusError), reason(ReasonFailed), attempts(5), failedNo(2)}, nil, nil},
		{"pointless", policy(), sending(attempts(0)), settled(PointlessOutcome),
			[]change{idle, says("said so"), status(StatusError), reason(ReasonRefused), attempts(1), failedNo(2)}, nil, nil},
		{"asked again, ambiguous", policy(), with(waiting(), func(e *Entry) { e.SendToken = token }), settled(UnknownOutcome),
			[]change{idle, unknown, notPrior, says("said so"), status(StatusVerifying), due(3 * time.Second)}, nil, nil},
		{"asked again, definitive", policy(), with(waiting(), func(e *Entry) { e.SendToken = token }), settled(Definitive),
			[]change{idle, notPrior, says("said so"), status(StatusPending), attempts(2), failedNo(2), due(20 * time.Second)}, nil, nil},
	})
}

// OUT-13: a repeated send of an unknown entry is one pass of finding out, and no
// failure of it proves that the first one failed.
func TestOUT13_RepeatedSend(t *testing.T) {
	var rows []row
	for name, o := range map[string]Outcome{"ambiguous": UnknownOutcome, "transient": TransientOutcome, "definitive": Definitive, "pointless": PointlessOutcome} {
		rows = append(rows,
			row{name, policy(idempotent), sending(unknown, passes(1)), settled(o),
				[]change{idle, says("said so"), status(StatusVerifying), passes(2), due(6 * time.Second)}, nil, nil},
			row{name + ", asked for time", policy(idempotent), sending(unknown, passes(1)), settled(o, after(30*time.Minute)),
				[]change{idle, says("said so"), status(StatusVerifying), passes(2), due(30 * time.Minute)}, nil, nil},
			row{name + ", the 39th", policy(idempotent), sending(unknown, passes(38)), settled(o),
				[]change{idle, says("said so"), status(StatusVerifying), passes(39), due(2 * time.Minute)}, nil, nil},
			row{name + ", the 40th", policy(idempotent), sending(unknown, passes(39)), settled(o),
				[]change{idle, says("said so"), status(StatusError), passes(40), reason(ReasonUnverifiable)}, nil, nil},
			row{name + ", parked, the 40th", policy(idempotent), aside(sending(unknown, passes(39))), settled(o),
				[]change{idle, says("said so"), from(StatusError), passes(40)}, nil, nil})
	}
	run(t, rows)
}

// OUT-13: a receiver that asks for time gets it, an hour at most, and never at a bound.
func TestOUT13_RetryAfter(t *testing.T) {
	failure := []change{idle, says("said so"), status(StatusPending), attempts(2), failedNo(2)}
	fault := []change{idle, says("said so"), status(StatusPending), transients(1), failedNo(2)}
	run(t, []row{
		{"shorter than the backoff", policy(), sending(), settled(Definitive, after(time.Second)), also(failure, due(20*time.Second)), nil, nil},
		{"longer than the backoff", policy(), sending(), settled(Definitive, after(7*time.Minute)), also(failure, due(7*time.Minute)), nil, nil},
		{"an hour", policy(), sending(), settled(TransientOutcome, after(hour)), also(fault, due(hour)), nil, nil},
		{"more than an hour", policy(), sending(), settled(TransientOutcome, after(hour+1)), also(fault, due(hour)), nil, nil},
		{"before now", policy(), sending(), settled(TransientOutcome, after(-hour)), also(fault, due(10*time.Second)), nil, nil},
		{"at the bound", policy(), sending(attempts(4)), settled(Definitive, after(hour)),
			[]change{idle, says("said so"), status(StatusError), reason(ReasonFailed), attempts(5), failedNo(2)}, nil, nil},
	})
}

// OUT-13: of late outcomes only a delivery of the current number counts, and only
// where the fate is unknown.
func TestOUT13_LateOutcomes(t *testing.T) {
	finish := []Effect{Finish}
	other := func(ev *Settled) { ev.Token = "t0" }
	old := func(ev *Settled) { ev.AttemptNo = 1 }
	rows := []row{
		{"delivered, verifying", policy(), verifying(), settled(Delivered, other), nil, finish, nil},
		{"delivered, verifying, known", policy(), verifying(known), settled(Delivered, other), nil, finish, nil},
		{"delivered, error, unknown", policy(), doubted(), settled(Delivered), nil, finish, nil},
		{"delivered, parked, was verifying", policy(), aside(verifying()), settled(Delivered), nil, finish, nil},
		{"delivered, parked, was verifying, known", policy(), aside(verifying(known)), settled(Delivered), nil, finish, nil},
		{"delivered, sent again", policy(idempotent), sending(unknown), settled(Delivered, other), nil, finish, nil},
		{"delivered, another send runs", policy(), sending(), settled(Delivered, other), nil, nil, Late},
		{"delivered, error", policy(), errored(), settled(Delivered), nil, nil, Late},
		{"delivered, pending", policy(), sending(idle, status(StatusPending)), settled(Delivered), nil, nil, Late},
		{"delivered, no token at all", policy(), sending(idle, status(StatusPending)), Settled{AttemptNo: 2, Outcome: Delivered}, nil, nil, Late},
	}
	for name, e := range map[string]Entry{
		"verifying": verifying(), "error": doubted(), "sending": sending(), "unparked": sending(status(StatusVerifying)), "parked": aside(verifying()),
	} {
		rows = append(rows, row{"delivered, an earlier number, " + name, policy(idempotent), e, settled(Delivered, old), nil, nil, Late})
		for _, o := range []Outcome{UnknownOutcome, PriorPending, TransientOutcome, Definitive, PointlessOutcome} {
			rows = append(rows,
				row{"failed, " + name, policy(idempotent), e, settled(o, other), nil, nil, Late},
				row{"failed, an earlier number, " + name, policy(idempotent), e, settled(o, old), nil, nil, Late})
		}
	}
	run(t, rows)
}

// OUT-13, OUT-5: a send that nobody answers for any more may have arrived.
func TestOUT13_Recovered(t *testing.T) {
	lost := []change{idle, unknown, says("the worker was lost in the attempt that began at 2027-01-15T07:59:00Z")}
	verify := also(lost, status(StatusVerifying))
	run(t, []row{
		{"sending", policy(), sending(passes(9)), Recovered{}, also(verify, passes(0)), nil, nil},
		{"sending, with a ledger", policy(ledgered), sending(attempts(4)), Recovered{}, verify, nil, nil},
		{"asking again", policy(), with(waiting(), func(e *Entry) { e.SendToken = token }), Recovered{}, also(verify, notPrior), nil, nil},
		{"sent again", policy(idempotent), sending(unknown, passes(3)), Recovered{}, also(verify, passes(4)), nil, nil},
		{"sent again, the 40th", policy(idempotent, ledgered), sending(unknown, passes(39)), Recovered{}, also(verify, passes(40)), nil, nil},
		{"sent again, past a lower bound", policy(idempotent), sending(unknown, passes(60)), Recovered{}, also(verify, passes(40)), nil, nil},
		{"parked", policy(), aside(sending()), Recovered{}, also(lost, from(StatusVerifying)), nil, nil},
		{"unparked", policy(), sending(status(StatusVerifying)), Recovered{}, verify, nil, nil},
		{"pending", policy(), pending(), Recovered{}, nil, nil, WrongState},
		{"prior attempt pending", policy(), waiting(), Recovered{}, nil, nil, WrongState},
		{"verifying", policy(), verifying(), Recovered{}, nil, nil, WrongState},
		{"error", policy(), errored(), Recovered{}, nil, nil, WrongState},
		{"parked, was pending", policy(), aside(pending()), Recovered{}, nil, nil, WrongState},
	})
}

// OUT-12: nothing becomes of an entry that cannot be read, whatever its row says,
// but that a person dismisses it.
func TestOUT12_Unreadable(t *testing.T) {
	ledger := Ledger{Last: Answer{State: "ADMITTED"}}
	wired := policy(verifiable, ledgered, idempotent)
	for name, e := range map[string]Entry{
		"pending": unreadable(pending()), "sending": unreadable(sending()), "sent again": unreadable(sending(unknown)),
		"verifying": unreadable(verifying()), "error": unreadable(doubted()), "parked": unreadable(aside(sending())),
	} {
		run(t, []row{
			{name + ", stage out", wired, e, StageOut{Token: "t"}, nil, nil, WrongState},
			{name + ", delivered", wired, e, settled(Delivered), nil, nil, WrongState},
			{name + ", failed", wired, e, settled(Definitive), nil, nil, WrongState},
			{name + ", recovered", wired, e, Recovered{}, nil, nil, WrongState},
			{name + ", verified", wired, e, Verified{Verdict: VerdictDelivered, Ledger: &ledger}, nil, nil, WrongState},
			{name + ", no verifier", wired, e, Verified{NoVerifier: true, Ledger: &ledger}, nil, nil, WrongState},
			{name + ", retried", wired, e, Retried{Resend: true}, nil, nil, WrongState},
			{name + ", swept", wired, e, Swept{Ledger: ledger}, nil, nil, WrongState},
			{name + ", reached", wired, e, Reached{}, nil, nil, WrongState},
			{name + ", parked", wired, e, Parked{Reason: "flip"}, nil, nil, WrongState},
			{name + ", unparked", wired, e, Unparked{}, nil, nil, WrongState},
			{name + ", dismissed", wired, e, Dismissed{}, nil, []Effect{Remove}, nil},
		})
	}
}

// OUT-13: the table has no row for what is no event.
func TestOUT13_NoSuchEvent(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "no such event") {
			t.Errorf("nobody panicked: %q", text)
		}
	}()
	_, _, err := policy().Next(pending(), nil, at())
	t.Error(err)
}
