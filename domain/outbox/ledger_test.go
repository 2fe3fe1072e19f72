package outbox

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// said is an answer of a ledger with what the table of the sweep calls it.
type said struct {
	kind   string
	answer Answer
}

// sayings are all kinds of answers, with the prefix and without.
func sayings() []said {
	all := []said{
		{"error", Answer{Failed: true}}, {"error", Answer{Failed: true, State: LedgerStateAdmitted}},
		{"error", Answer{Failed: true, State: LedgerStateFailed}}, {"error", Answer{Failed: true, State: LedgerStateLedgered}}, {"none", Answer{}},
	}
	for word, kind := range map[string]string{
		"FAILED": "FAILED", "LEDGERED": "LEDGERED", "ADMITTED": "completes", "PROMOTED": "completes",
		"TURN_ENDED": "completes", "STALLED": "completes", "DELIVERED": "strange", "admitted": "strange", "": "strange",
	} {
		if word != "" {
			all = append(all, said{kind, Answer{State: word}})
		}
		all = append(all, said{kind, Answer{State: "LEDGER_STATE_" + word}})
	}
	return all
}

// sweepTable is the table of the parked-error sweep; its first row that fits wins.
func sweepTable() [][4]string {
	return [][4]string{ // A, A+1, unknown, result
		{"error", "any", "any", "indeterminate"},
		{"completes", "any", "any", "complete"},
		{"any", "error", "any", "indeterminate"},
		{"any", "completes", "any", "complete"},
		{"LEDGERED", "any", "any", "unchanged"},
		{"any", "LEDGERED", "any", "unchanged"},
		{"FAILED none", "FAILED", "no", "count and arm"},
		{"FAILED none", "none", "no", "arm"},
		{"FAILED none", "FAILED none", "yes", "unchanged"},
		{"any", "any", "any", "unchanged"}, // a word that nobody knows
	}
}

func lookUp(table [][4]string, cells ...string) string {
	fits := func(pattern, cell string) bool {
		return pattern == "any" || slices.Contains(strings.Fields(pattern), cell)
	}
	for _, r := range table {
		if fits(r[0], cells[0]) && fits(r[1], cells[1]) && fits(r[2], cells[2]) {
			return r[3]
		}
	}
	return ""
}

// OUT-14: the whole table, for every pair of answers, entry of known or unknown
// fate, and number of failures around the bound.
func TestOUT14_SweepTable(t *testing.T) {
	for _, last := range sayings() {
		for _, next := range sayings() {
			for n := range 7 {
				sweepCase(t, last, next, errored(attempts(n), transients(20), reason("x"), due(hour)), "no")
				sweepCase(t, last, next, doubted(attempts(n), due(hour)), "yes")
			}
		}
	}
}

func sweepCase(t *testing.T, last, next said, e Entry, unsure string) {
	t.Helper()
	result := lookUp(sweepTable(), last.kind, next.kind, unsure)
	ledger := Ledger{Last: last.answer, Next: next.answer}
	name := func() string {
		return fmt.Sprintf("A %+v, A+1 %+v, unknown %s, %d attempts: %s", last.answer, next.answer, unsure, e.Attempts, result)
	}
	want, effects, refusal := e, []Effect(nil), error(WrongState)
	switch counted := e.Attempts + 1; {
	case result == "complete":
		effects, refusal = []Effect{Finish}, nil
	case result == "arm" && e.Attempts < 5:
		want, refusal = with(e, status(StatusPending), transients(0), reason(""), dueNow), nil
	case result == "count and arm" && counted < 5:
		want, refusal = with(e, status(StatusPending), transients(0), reason(""), dueNow, attempts(counted)), nil
	}
	got, did, err := policy(ledgered, verifiable, idempotent).Next(e, Swept{Ledger: ledger}, at())
	if !errors.Is(err, refusal) || !slices.Equal(did, effects) {
		t.Fatalf("%s\nanswered %v and %v", name(), did, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\n(-want +got):\n%s", name(), cmp.Diff(want, got))
	}
	if ledger.Indeterminate() != (result == "indeterminate") {
		t.Fatalf("%s\nindeterminate is %t", name(), ledger.Indeterminate())
	}
}

// OUT-14: only what is in error is swept.
func TestOUT14_SweepLeavesOthersAlone(t *testing.T) {
	var rows []row
	for name, e := range others(StatusError) {
		for _, l := range []Ledger{{}, {Last: Answer{State: "ADMITTED"}}, {Next: Answer{State: "FAILED"}}} {
			rows = append(rows, row{name, policy(ledgered), e, Swept{Ledger: l}, nil, nil, WrongState})
		}
	}
	run(t, rows)
}

// brink is an entry and an event that leads to error, and how that would look.
type brink struct {
	name   string
	entry  Entry
	event  func(*Ledger) Event
	failed []change
}

func brinks() []brink {
	settle := func(o Outcome) func(*Ledger) Event {
		return func(l *Ledger) Event { return settled(o, after(hour), func(ev *Settled) { ev.Ledger = l }) }
	}
	verify := func(ev Verified) func(*Ledger) Event {
		return func(l *Ledger) Event { ev.Ledger = l; return ev }
	}
	fifth := []change{known, reason(ReasonFailed), attempts(5), failedNo(2)}
	fortieth := []change{passes(40), reason(ReasonUnverifiable)}
	failed := func(changes []change, text string) []change {
		return also(changes, idle, says(text), status(StatusError))
	}
	return []brink{
		{"definitive", sending(attempts(4)), settle(Definitive), failed(fifth, "said so")},
		{"pointless", sending(attempts(4)), settle(PointlessOutcome), failed(also(fifth, reason(ReasonRefused)), "said so")},
		{"transient", sending(transients(19)), settle(TransientOutcome), failed([]change{reason(ReasonUnreachable), transients(20), failedNo(2)}, "said so")},
		{"asked again", with(waiting(attempts(4)), func(e *Entry) { e.SendToken = token }), settle(Definitive), failed(also(fifth, notPrior), "said so")},
		{"unparked", sending(attempts(4), status(StatusVerifying)), settle(Definitive), failed(fifth, "said so")},
		{"sent again", sending(unknown, passes(39)), settle(Definitive), failed(fortieth, "said so")},
		{"absent", verifying(attempts(4)), verify(Verified{Verdict: VerdictAbsent, Err: "404"}), failed(fifth, "404")},
		{"inconclusive", verifying(passes(39)), verify(Verified{Err: "dark"}), failed(fortieth, "dark")},
		{"no verifier", verifying(), verify(Verified{NoVerifier: true}), failed([]change{reason(ReasonNoVerifier)}, "refused")},
	}
}

// guardTable says what the ledger's answers mean before an error.
func guardTable() [][4]string {
	return [][4]string{
		{"completes", "any", "any", "finish"},
		{"FAILED none LEDGERED strange", "completes", "any", "finish"},
		{"LEDGERED", "any", "any", "wait"},
		{"any", "LEDGERED", "any", "wait"},
		{"any", "any", "any", "error"},
	}
}

// OUT-14: before any entry goes to error the ledger is asked: what the receiver has
// is finished, what it decides on waits without being counted.
func TestOUT14_GuardBeforeError(t *testing.T) {
	p := policy(ledgered, idempotent, verifiable)
	var rows []row
	for _, b := range brinks() {
		rows = append(rows,
			row{b.name + ", not asked yet", p, b.entry, b.event(nil), nil, []Effect{Probe}, nil},
			row{b.name + ", no ledger", policy(), b.entry, b.event(nil), b.failed, nil, nil},
			row{b.name + ", no ledger, and yet an answer", policy(), b.entry, b.event(&Ledger{Last: Answer{State: "ADMITTED"}}), b.failed, nil, nil})
		for _, last := range sayings() {
			for _, next := range sayings() {
				r := row{b.name + ", " + last.kind + ", " + next.kind, p, b.entry, b.event(&Ledger{last.answer, next.answer}), nil, nil, nil}
				switch lookUp(guardTable(), last.kind, next.kind, "any") {
				case "finish":
					r.effects = []Effect{Finish}
				case "wait":
					r.changes = heldUp(b)
				default:
					r.changes = b.failed
				}
				r.check(t)
			}
		}
	}
	run(t, rows)
}

// heldUp is how an entry waits for the decision of its receiver: nothing counted.
func heldUp(b brink) []change {
	reached := with(b.entry, b.failed...)
	changes := []change{idle, due(15 * time.Second), says(reached.LastError)}
	if b.entry.Unknown {
		return also(changes, status(StatusVerifying))
	}
	return also(changes, status(StatusDelivering), func(e *Entry) {
		if e.PriorSince.IsZero() {
			e.PriorSince = at()
		}
	})
}

// OUT-14: a parked entry is guarded too, and stays parked.
func TestOUT14_GuardWhileParked(t *testing.T) {
	p := policy(ledgered)
	ledgeredNext, none := told(Answer{}, Answer{State: "LEDGERED"}), told(Answer{}, Answer{})
	rows := []row{
		{"not asked yet", p, aside(sending(attempts(4))), settled(Definitive), nil, []Effect{Probe}, nil},
		{"finished", p, aside(sending(attempts(4))), settled(Definitive, told(Answer{}, Answer{State: "STALLED"})), nil, []Effect{Finish}, nil},
		{"waits", p, aside(sending(attempts(4))), settled(Definitive, ledgeredNext),
			[]change{idle, says("said so"), due(15 * time.Second), func(e *Entry) { e.PriorSince = at() }}, nil, nil},
		{"given up", p, aside(sending(attempts(4))), settled(Definitive, none),
			[]change{idle, says("said so"), from(StatusError), attempts(5), failedNo(2)}, nil, nil},
		{"waits to be verified", p, aside(verifying(passes(39))), Verified{Ledger: &Ledger{Last: Answer{State: "LEDGERED"}}},
			[]change{due(15 * time.Second)}, nil, nil},
	}
	run(t, rows)
}

// OUT-14: the guard asks about the last known failure and the number behind it,
// with the failure in question counted.
func TestOUT14_GuardAsksAboutTheRightNumbers(t *testing.T) {
	for _, b := range brinks() {
		e, effects, err := policy(ledgered).Next(b.entry, b.event(nil), at())
		if err != nil || !probed(effects) {
			t.Fatalf("%s: %v, %v", b.name, effects, err)
		}
		if want := with(b.entry, b.failed...).FailedNo; e.FailedNo != want {
			t.Errorf("%s: the ledger is asked about %d, want %d", b.name, e.FailedNo, want)
		}
		if e.FailedNo != e.AttemptNo && e.FailedNo+1 != e.AttemptNo {
			t.Errorf("%s: the ledger is asked about %d and %d, the send was %d", b.name, e.FailedNo, e.FailedNo+1, e.AttemptNo)
		}
	}
}

// OUT-14: nothing is asked before the bound.
func TestOUT14_NoGuardBelowTheBound(t *testing.T) {
	for name, ev := range map[string]Event{"definitive": settled(Definitive), "transient": settled(TransientOutcome), "ambiguous": settled(UnknownOutcome), "lost": Recovered{}} {
		if _, effects, err := policy(ledgered).Next(sending(), ev, at()); err != nil || effects != nil {
			t.Errorf("%s: %v, %v", name, effects, err)
		}
	}
	if _, effects, err := policy(ledgered).Next(verifying(), Verified{}, at()); err != nil || effects != nil {
		t.Errorf("inconclusive: %v, %v", effects, err)
	}
}
