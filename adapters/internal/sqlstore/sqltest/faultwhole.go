package sqltest

import (
	"context"
	"os"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// whole is a step that takes effect in full or not at all. It is watched from
// outside: all rows of the database, and of the copy beside it, are before it what
// they were and after it what a run without a fault leaves.
type whole struct {
	name    string
	prepare acting // on what those before left; nil for nothing
	do      acting
	// between, if set, takes what may be there after a failure besides.
	between func(before, rows string) bool
	// follows tells that it goes on after its commit, so that any error may come
	// with the effect.
	follows bool
	ignores []string // operations whose failure means nothing
	clears  bool     // removes files that it has open, on its way out
	look    func(sc *scene, before string)
	first   bool
}

// outcome is what there is around a run without a fault.
type outcome struct{ before, after string }

// copyPath is where backups go.
func (sc *scene) copyPath() string { return sc.path + ".copy" }

// world is all that is stored.
func (sc *scene) world(ctx context.Context) (rows string) {
	sc.Helper()
	for _, path := range []string{sc.path, sc.copyPath()} {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			continue
		}
		if stored := dumpTables(ctx, sc, path, "no table", false); stored != "" { // tables without rows are as good as none
			rows += "\n" + path[len(sc.path):] + "\n" + stored
		}
	}
	return rows
}

// step makes a step that compares. What a run leaves depends on whether the store
// has been warmed up, which the serial number of the last payload tells.
func (w whole) step() step {
	known := map[int]outcome{}
	run := func(ctx context.Context, sc *scene) error {
		want, ok := known[sc.ledger.serial]
		if !ok { // the first run has no fault
			want.before = sc.world(ctx)
		}
		if sc.ledger.push.tried {
			done := w.compare(ctx, sc, want)
			sc.ledger.push = push{}
			if done {
				return nil
			}
		}
		if err := w.do(ctx, sc); err != nil {
			sc.ledger.push = push{tried: true, code: domain.CodeOf(err)}
			return err
		}
		if !ok {
			want.after = sc.world(ctx)
			known[sc.ledger.serial] = want
		}
		return nil
	}
	verify := func(sc *scene) {
		findings, err := sc.inbox.Check(sc.Context())
		sc.must("check", err)
		want := known[sc.ledger.serial]
		if rows := sc.world(sc.Context()); rows != want.after || len(findings) > 0 {
			sc.fault("check finds %q in\n%s\nwant:\n%s", findings, rows, want.after)
		}
		if w.look != nil {
			w.look(sc, want.before)
		}
	}
	return step{name: w.name, run: run, verify: verify, first: w.first, ignores: w.ignores, clears: w.clears}
}

// compare looks at what a failure has left, and tells whether all was done.
func (w whole) compare(ctx context.Context, sc *scene, want outcome) bool {
	sc.Helper()
	findings, err := sc.inbox.Check(ctx)
	sc.must("check", err)
	rows, code := sc.world(ctx), sc.ledger.push.code
	switch {
	case len(findings) > 0:
		sc.fault("after the failure check finds %q", findings)
	case rows == want.before:
	case rows == want.after:
		if !w.follows && (code == domain.Busy || code == domain.Full) {
			sc.fault("it was done although its error has code %d", code)
		}
		return true
	case w.between == nil || !w.between(want.before, rows):
		sc.fault("half of it was done:\n%s\nbefore:\n%s", rows, want.before)
	}
	return false
}

// overWhole sweeps over steps, each on what those before left.
func (s *sweep) overWhole(t *testing.T, scene *scene, steps []whole) {
	for _, w := range steps {
		if w.prepare != nil {
			scene.must("preparing "+w.name, w.prepare(t.Context(), scene))
		}
		step := w.step()
		s.over(t, step, scene.image())
		if err := step.run(t.Context(), scene); err != nil {
			t.Fatalf("%s without a fault: %v", step.name, err)
		}
	}
	scene.leave()
}
