package outbox

import (
	"testing"
	"time"
)

// OUT-13: an operator sets aside what is on its way, and it remembers what it was.
func TestOUT13_Parked(t *testing.T) {
	park := Parked{Reason: "flip"}
	set := func(was string) []change {
		return []change{status(StatusParked), reason("flip"), from(was), func(e *Entry) { e.ParkedError = e.LastError }}
	}
	run(t, []row{
		{"pending", policy(), pending(due(hour), says("refused")), park, set(StatusPending), nil, nil},
		{"sending", policy(), sending(), park, set(StatusDelivering), nil, nil},
		{"prior attempt pending", policy(), waiting(), park, set(StatusDelivering), nil, nil},
		{"verifying", policy(), verifying(due(hour)), park, set(StatusVerifying), nil, nil},
		{"unparked while sending", policy(), sending(status(StatusVerifying)), park, set(StatusVerifying), nil, nil},
		{"error", policy(), errored(), park, nil, nil, WrongState},
		{"error, unknown", policy(), doubted(), park, nil, nil, WrongState},
		{"parked", policy(), aside(pending(), reason("before")), park, nil, nil, WrongState},
	})
}

// OUT-13: a send that runs while its entry is parked counts as it would, and the
// entry stays parked for its operator's reason.
func TestOUT13_ParkedWhileItsSendRuns(t *testing.T) {
	finish := []Effect{Finish}
	failed := []change{idle, says("said so"), from(StatusPending), failedNo(2)}
	run(t, []row{
		{"delivered", policy(), aside(sending()), settled(Delivered), nil, finish, nil},
		{"ambiguous", policy(), aside(sending()), settled(UnknownOutcome),
			[]change{idle, unknown, says("said so"), from(StatusVerifying), due(3 * time.Second)}, nil, nil},
		{"definitive", policy(), aside(sending()), settled(Definitive), also(failed, attempts(2), due(20*time.Second)), nil, nil},
		{"definitive, the 5th", policy(), aside(sending(attempts(4))), settled(Definitive), also(failed, from(StatusError), attempts(5)), nil, nil},
		{"pointless", policy(), aside(sending()), settled(PointlessOutcome), also(failed, from(StatusError), attempts(2)), nil, nil},
		{"transient", policy(), aside(sending()), settled(TransientOutcome), also(failed, transients(1), due(10*time.Second)), nil, nil},
		{"transient, the 20th", policy(), aside(sending(transients(19))), settled(TransientOutcome), also(failed, from(StatusError), transients(20)), nil, nil},
		{"prior attempt pending", policy(), aside(sending()), settled(PriorPending),
			[]change{idle, says("said so"), due(15 * time.Second), func(e *Entry) { e.PriorSince = at() }}, nil, nil},
	})
}

// OUT-13: and the same after unpark.
func TestOUT13_UnparkedWhileItsSendRuns(t *testing.T) {
	e := sending(status(StatusVerifying))
	failed := []change{idle, says("said so"), status(StatusPending), failedNo(2)}
	run(t, []row{
		{"delivered", policy(), e, settled(Delivered), nil, []Effect{Finish}, nil},
		{"ambiguous", policy(), e, settled(UnknownOutcome), []change{idle, unknown, says("said so"), due(3 * time.Second)}, nil, nil},
		{"definitive", policy(), e, settled(Definitive), also(failed, attempts(2), due(20*time.Second)), nil, nil},
		{"pointless", policy(), e, settled(PointlessOutcome), also(failed, status(StatusError), reason(ReasonRefused), attempts(2)), nil, nil},
		{"transient", policy(), e, settled(TransientOutcome), also(failed, transients(1), due(10*time.Second)), nil, nil},
		{"prior attempt pending", policy(), e, settled(PriorPending),
			[]change{idle, says("said so"), status(StatusDelivering), due(15 * time.Second), func(e *Entry) { e.PriorSince = at() }}, nil, nil},
		{"sent again, definitive", policy(idempotent), sending(unknown, status(StatusVerifying)), settled(Definitive),
			[]change{idle, says("said so"), passes(1), due(3 * time.Second)}, nil, nil},
	})
}

// OUT-13: what was pending is pending again, what may have arrived is verified, and
// what was given up meanwhile stays given up.
func TestOUT13_Unparked(t *testing.T) {
	verify := []change{taken, dueNow, status(StatusVerifying)}
	run(t, []row{
		{"accepted under a hold", policy(), pending(status(StatusParked), from(StatusPending), reason("flip")), Unparked{},
			[]change{taken, status(StatusPending)}, nil, nil},
		{"was pending", policy(), aside(pending(due(hour), says("refused"))), Unparked{}, []change{taken, dueNow, status(StatusPending)}, nil, nil},
		{"was verifying", policy(), aside(verifying(due(hour), passes(7))), Unparked{}, verify, nil, nil},
		{"was verifying, came out absent", policy(), aside(verifying(known, due(hour)), from(StatusPending)), Unparked{},
			[]change{taken, dueNow, status(StatusPending)}, nil, nil},
		{"sending", policy(), aside(sending()), Unparked{}, []change{taken, status(StatusVerifying)}, nil, nil},
		{"sent again", policy(), aside(sending(unknown)), Unparked{}, []change{taken, status(StatusVerifying)}, nil, nil},
		{"prior attempt pending", policy(), aside(waiting(passes(39))), Unparked{}, also(verify, unknown, notPrior, passes(0)), nil, nil},
		{"prior attempt pending, unknown", policy(), aside(waiting(unknown, passes(39))), Unparked{}, also(verify, notPrior), nil, nil},
		{"given up", policy(), aside(sending(idle, attempts(5)), from(StatusError)), Unparked{}, []change{taken, status(StatusError), reason(ReasonFailed)}, nil, nil},
		{"given up, unknown", policy(), aside(verifying(passes(40)), from(StatusError)), Unparked{},
			[]change{taken, status(StatusError), reason(ReasonUnverifiable)}, nil, nil},
	})
	var rows []row
	for name, e := range others(StatusParked) {
		rows = append(rows, row{name, policy(), e, Unparked{}, nil, nil, WrongState})
	}
	run(t, rows)
}
