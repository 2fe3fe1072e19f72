package outbox

import (
	"testing"
	"time"
)

// OUT-13: what a verification comes to.
func TestOUT13_Verified(t *testing.T) {
	delivered, absent := Verified{Verdict: VerdictDelivered}, Verified{Verdict: VerdictAbsent, Err: "404"}
	vague, nobody := Verified{Err: "unreachable"}, Verified{Verdict: VerdictDelivered, NoVerifier: true}
	finish := []Effect{Finish}
	p := policy(verifiable)
	run(t, []row{
		{"delivered", p, verifying(), delivered, nil, finish, nil},
		{"delivered, parked", p, aside(verifying()), delivered, nil, finish, nil},
		{"delivered, prior attempt pending", p, waiting(unknown), delivered, nil, finish, nil},
		{"absent", p, verifying(), absent, []change{known, says("404"), status(StatusPending), attempts(2), failedNo(2), due(20 * time.Second)}, nil, nil},
		{"absent, without a word", p, verifying(), Verified{Verdict: VerdictAbsent},
			[]change{known, says("the receiver does not have it"), status(StatusPending), attempts(2), failedNo(2), due(20 * time.Second)}, nil, nil},
		{"absent, the 4th", p, verifying(attempts(3)), absent, []change{known, says("404"), status(StatusPending), attempts(4), failedNo(2), due(80 * time.Second)}, nil, nil},
		{"absent, the 5th", p, verifying(attempts(4)), absent, []change{known, says("404"), status(StatusError), reason(ReasonFailed), attempts(5), failedNo(2)}, nil, nil},
		{"absent, parked", p, aside(verifying()), absent, []change{known, says("404"), from(StatusPending), attempts(2), failedNo(2), due(20 * time.Second)}, nil, nil},
		{"absent, parked, the 5th", p, aside(verifying(attempts(4))), absent, []change{known, says("404"), from(StatusError), attempts(5), failedNo(2)}, nil, nil},
		{"absent, prior attempt pending", p, waiting(unknown), absent,
			[]change{known, notPrior, says("404"), status(StatusPending), attempts(2), failedNo(2), due(20 * time.Second)}, nil, nil},
		{"inconclusive", p, verifying(), vague, []change{says("unreachable"), passes(1), due(3 * time.Second)}, nil, nil},
		{"inconclusive, without a word", p, verifying(), Verified{}, []change{passes(1), due(3 * time.Second)}, nil, nil},
		{"inconclusive, no such verdict", p, verifying(), Verified{Verdict: 7}, []change{passes(1), due(3 * time.Second)}, nil, nil},
		{"inconclusive, prior attempt pending", p, waiting(unknown), vague,
			[]change{says("unreachable"), notPrior, status(StatusVerifying), passes(1), due(3 * time.Second)}, nil, nil},
		{"inconclusive, the 39th", p, verifying(passes(38)), vague, []change{says("unreachable"), passes(39), due(2 * time.Minute)}, nil, nil},
		{"inconclusive, the 40th", p, verifying(passes(39)), vague,
			[]change{says("unreachable"), status(StatusError), passes(40), reason(ReasonUnverifiable)}, nil, nil},
		{"inconclusive, past the bound", p, verifying(passes(40)), vague,
			[]change{says("unreachable"), status(StatusError), passes(40), reason(ReasonUnverifiable)}, nil, nil},
		{"inconclusive, parked", p, aside(verifying()), vague, []change{says("unreachable"), passes(1), due(3 * time.Second)}, nil, nil},
		{"inconclusive, parked, the 40th", p, aside(verifying(passes(39))), vague,
			[]change{says("unreachable"), from(StatusError), passes(40)}, nil, nil},
		{"no verifier", policy(), verifying(), nobody, []change{status(StatusError), reason(ReasonNoVerifier)}, nil, nil},
		{"no verifier, not marked", policy(), verifying(known), nobody, []change{unknown, status(StatusError), reason(ReasonNoVerifier)}, nil, nil},
		{"no verifier, parked", policy(), aside(verifying()), nobody, []change{from(StatusError)}, nil, nil},
	})
}

// OUT-13: nothing is verified that is sent, or whose fate is known or given up.
func TestOUT13_NothingToVerify(t *testing.T) {
	var rows []row
	for _, ev := range []Verified{{}, {Verdict: VerdictDelivered}, {Verdict: VerdictAbsent}, {NoVerifier: true}} {
		for name, e := range map[string]Entry{
			"pending": pending(), "prior": waiting(), "error": errored(), "error, unknown": doubted(),
			"parked, was pending": aside(pending()), "parked, was asked about": aside(waiting()), "parked, error": aside(doubted(), from(StatusError)),
		} {
			rows = append(rows, row{name, policy(verifiable), e, ev, nil, nil, WrongState})
		}
		for name, e := range map[string]Entry{
			"sending": sending(), "sent again": sending(unknown), "parked, sending": aside(sending()), "unparked, sending": sending(status(StatusVerifying)),
		} {
			rows = append(rows, row{name, policy(verifiable), e, ev, nil, nil, Busy})
		}
	}
	run(t, rows)
}

// OUT-13: a person retries what is in error, and nothing of unknown fate is sent
// again without being verified, or the person saying so.
func TestOUT13_Retried(t *testing.T) {
	fresh := []change{attempts(0), passes(0), transients(0), says(""), reason("")}
	again := also(fresh, status(StatusPending))
	verify := also(fresh, status(StatusVerifying))
	forced := also(again, known, failedNo(2))
	known := errored(passes(3), transients(4), reason("x"), due(hour))
	run(t, []row{
		{"known", policy(), known, Retried{}, also(again, dueNow), nil, nil},
		{"known, to be sent again", policy(verifiable), known, Retried{Resend: true}, also(again, dueNow), nil, nil},
		{"known, to be asked about", policy(), known, Retried{Ask: true}, also(again, dueNow), nil, nil},
		{"known, with a verifier", policy(verifiable), known, Retried{Ask: true}, also(again, dueNow), nil, nil},
		{"unknown", policy(), doubted(), Retried{}, forced, nil, nil},
		{"unknown, to be asked about", policy(), doubted(), Retried{Ask: true}, nil, nil, Unasked},
		{"unknown, to be sent again", policy(), doubted(), Retried{Resend: true, Ask: true}, forced, nil, nil},
		{"unknown, with a verifier", policy(verifiable), doubted(), Retried{}, verify, nil, nil},
		{"unknown, with a verifier, to be asked about", policy(verifiable), doubted(), Retried{Ask: true}, verify, nil, nil},
		{"unknown, with a verifier, to be sent again", policy(verifiable), doubted(), Retried{Resend: true}, forced, nil, nil},
		{"unknown, idempotent", policy(idempotent), doubted(), Retried{Ask: true}, verify, nil, nil},
		{"unknown, idempotent, to be sent again", policy(idempotent), doubted(), Retried{Resend: true}, forced, nil, nil},
	})
	var rows []row
	for name, e := range others(StatusError) {
		rows = append(rows, row{name, policy(verifiable), e, Retried{Resend: true}, nil, nil, WrongState})
	}
	run(t, rows)
}

// OUT-13: a receiver that answers again is asked about what could not be verified,
// and about nothing else.
func TestOUT13_Reached(t *testing.T) {
	verify := []change{status(StatusVerifying), passes(0), reason("")}
	run(t, []row{
		{"unverifiable", policy(verifiable), doubted(), Reached{}, verify, nil, nil},
		{"no verifier then", policy(verifiable), doubted(reason(ReasonNoVerifier), due(hour)), Reached{}, also(verify, dueNow), nil, nil},
		{"idempotent", policy(idempotent), doubted(), Reached{}, verify, nil, nil},
		{"nobody to ask", policy(), doubted(), Reached{}, nil, nil, WrongState},
		{"known", policy(verifiable, idempotent), errored(), Reached{}, nil, nil, WrongState},
		{"parked, error", policy(verifiable), aside(doubted(), from(StatusError)), Reached{}, nil, nil, WrongState},
	})
	var rows []row
	for name, e := range others(StatusError) {
		rows = append(rows, row{name, policy(verifiable), e, Reached{}, nil, nil, WrongState})
	}
	run(t, rows)
}

// OUT-13: whatever is not on its way can be dismissed.
func TestOUT13_Dismissed(t *testing.T) {
	var rows []row
	for name, e := range everything() {
		r := row{name, policy(), e, Dismissed{}, nil, []Effect{Remove}, nil}
		if e.SendToken != "" {
			r.effects, r.refusal = nil, Busy
		}
		rows = append(rows, r)
	}
	run(t, rows)
}

// everything is an entry in each state that there is.
func everything() map[string]Entry {
	return map[string]Entry{
		"pending": pending(), "sending": sending(), "sent again": sending(unknown), "prior": waiting(), "verifying": verifying(),
		"unparked while sending": sending(status(StatusVerifying)), "error": errored(), "error, unknown": doubted(),
		"parked, was pending": aside(pending()), "parked, sending": aside(sending()), "parked, prior": aside(waiting()),
		"parked, was verifying": aside(verifying()), "parked, error": aside(sending(idle), from(StatusError)),
		"parked, error, unknown": aside(verifying(), from(StatusError)),
	}
}

// others is everything without what has a status.
func others(without string) map[string]Entry {
	all := everything()
	for name, e := range all {
		if e.Status == without {
			delete(all, name)
		}
	}
	return all
}
