package sqltest

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/faultdrv"
	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
)

// Faulty is a driver that can be made to fail.
type Faulty struct {
	Driver sqlstore.Driver
	// Error makes an error of the driver from a primary result code of SQLite.
	Error func(code int) error
}

// open opens a store that fails by plan.
func (f Faulty) open(ctx context.Context, plan *faultdrv.Plan, path string, opts sqlstore.Options) (*sqlstore.Store, error) {
	failing := f.Driver
	failing.Connector = func(path string) (driver.Connector, error) {
		inner, err := f.Driver.Connector(path)
		if err != nil {
			return nil, err
		}
		return plan.Connector(inner), nil
	}
	return sqlstore.Open(ctx, failing, path, opts)
}

// ailment is a way to fail, and the code that the caller must see.
type ailment struct {
	name  string
	fault faultdrv.Fault
	code  domain.Code
}

// ailments are all ways, each before and after the operation took effect where
// that can be.
func (f Faulty) ailments() []ailment {
	const busy, interrupt, ioError, corrupt, full = 5, 9, 10, 11, 13
	plain := errors.New("something went wrong")
	dead := errors.New("the process is dead")
	return []ailment{
		{"plain", faultdrv.Fault{Err: plain}, domain.Internal},
		{"plain after", faultdrv.Fault{Err: plain, After: true}, domain.Internal},
		{"busy", faultdrv.Fault{Err: f.Error(busy)}, domain.Busy},
		{"interrupted", faultdrv.Fault{Err: f.Error(interrupt)}, domain.Internal},
		{"interrupted and rolled back", faultdrv.Fault{Err: f.Error(interrupt), Ended: true}, domain.Internal},
		{"IO", faultdrv.Fault{Err: f.Error(ioError)}, domain.IO},
		{"IO after", faultdrv.Fault{Err: f.Error(ioError), After: true}, domain.IO},
		{"IO and rolled back", faultdrv.Fault{Err: f.Error(ioError), Ended: true}, domain.IO},
		{"corrupt", faultdrv.Fault{Err: f.Error(corrupt)}, domain.Corrupt},
		{"full", faultdrv.Fault{Err: f.Error(full)}, domain.Full},
		{"full and rolled back", faultdrv.Fault{Err: f.Error(full), Ended: true}, domain.Full},
		{"killed", faultdrv.Fault{Err: dead, Dead: true}, domain.Internal},
		{"killed after", faultdrv.Fault{Err: dead, After: true, Dead: true}, domain.Internal},
	}
}

// RunFaults lets every operation of the driver fail in every way, one at a time,
// in all use cases, and looks at what is left. Usually it takes a sample of them,
// and with TUNDISH_LONG all. The name of a subtest that failed, given to -run
// together with TUNDISH_LONG, repeats it.
func RunFaults(t *testing.T, f Faulty) {
	sweep := &sweep{faulty: f, sample: 5}
	if os.Getenv("TUNDISH_LONG") != "" {
		sweep.sample = 0
	}
	scene := newScene(t, f)
	for _, step := range slices.Concat(steps(), timing()) {
		sweep.over(t, step, scene.image())
		if err := step.run(t.Context(), scene); err != nil {
			t.Fatalf("%s without a fault: %v", step.name, err)
		}
	}
	scene.leave()
	sweep.overOutbox(t)
	sweep.overWhole(t, newScene(t, f), claiming())
	var archive bytes.Buffer
	sweep.overWhole(t, newScene(t, f), caring(&archive))
	sweep.overWhole(t, newScene(t, f), []whole{importing(&archive)})
	sweep.over(t, takeOver(), oldImage(t, f))
	sweep.over(t, migrate(t), image{files: map[string][]byte{"t.db": schema2}, ledger: newLedger()})
	t.Run("migration cut short", func(t *testing.T) { testMigrationCut(t, f) })
	t.Run("extras cut short", func(t *testing.T) { testExtrasCut(t, f) })
	t.Logf("%d operations, %d faults, %d of them unnoticed by the caller", sweep.operations, sweep.faults, sweep.absorbed)
}

// sweep runs single steps with single faults.
type sweep struct {
	faulty Faulty
	sample int // how many faults a step gets, evenly chosen; 0 for all

	operations, faults, absorbed int
}

// over sweeps over one step, on a store that has just been opened and on one that
// has worked before.
func (s *sweep) over(t *testing.T, st step, from image) {
	for _, warm := range []bool{false, true} {
		if warm && st.first {
			break
		}
		name := st.name + map[bool]string{false: ", cold", true: ", warm"}[warm]
		count := s.once(t, st, from, warm, ailment{fault: faultdrv.Fault{At: -1}})
		s.operations += count
		all := s.faulty.ailments()
		if warm { // only the ways that leave something behind in a connection
			all = slices.DeleteFunc(all, func(a ailment) bool { return !a.fault.After && !a.fault.Ended && a.code != domain.Busy })
		}
		stride, offset := 1, 0
		if s.sample > 0 {
			stride = max(1, count*len(all)/s.sample)
			offset = stride / 2 // the same faults in every run; the long one takes all
		}
		t.Run(name, func(t *testing.T) {
			for n := offset; n < count*len(all); n += stride {
				a := all[n%len(all)]
				a.fault.At = n / len(all)
				t.Run(fmt.Sprintf("%s at %d", a.name, a.fault.At), func(t *testing.T) { s.once(t, st, from, warm, a) })
			}
		})
	}
}

// once runs a step with one fault and looks at what is left. It answers how many
// operations there were.
func (s *sweep) once(t *testing.T, st step, from image, warm bool, a ailment) (count int) {
	t.Helper()
	before := runtime.NumGoroutine()
	scene := from.open(t, s.faulty)
	defer scene.recovered()
	if warm {
		scene.must("warming up", scene.warmUp(t.Context()))
	}
	var crash image
	a.fault.Strike = func() { crash = scene.image() }
	scene.plan.Arm(a.fault)
	err := st.run(t.Context(), scene)
	count = scene.plan.Count()
	scene.plan.Disarm()
	scene.struck = scene.plan.Struck()
	if scene.struck != "" {
		s.faults++
		s.judge(scene, st, a, err)
	} else if a.fault.At >= 0 || err != nil {
		scene.fault("the fault was not reached (%v)", err)
	}
	if scene.struck != "" && a.fault.Dead {
		scene = scene.reborn(crash, st.clears)
		if err == nil && st.clears { // the close that killed it is one that it does not ask about
			err = a.fault.Err
			scene.ledger.push = push{tried: true, code: domain.Internal}
		}
	}
	if err != nil {
		scene.must("again", st.run(t.Context(), scene))
	}
	st.verify(scene.reopen())
	scene.leave()
	s.settled(scene, before)
	return count
}

// judge looks at the answer to a fault. Whoever hid it must have been in the
// right, which the look at what is left shows; only a lock may be waited for, and
// what is closed or rolled back is done with.
func (s *sweep) judge(sc *scene, st step, a ailment, err error) {
	if err == nil {
		s.absorbed++
		done := strings.HasPrefix(sc.struck, "close ") || strings.HasSuffix(sc.struck, " ROLLBACK") || slices.Contains(st.ignores, sc.struck)
		if !done && !a.fault.Dead && a.code != domain.Busy {
			sc.fault("no error")
		}
		return
	}
	if a.fault.Dead {
		return // nobody is there to read it
	}
	var e *domain.Error
	if !errors.As(err, &e) || domain.CodeOf(err) != a.code {
		sc.fault("%q has code %d, want %d", err, domain.CodeOf(err), a.code)
		return
	}
	text := err.Error()
	begins := strings.HasPrefix(text, "cannot ") || strings.HasPrefix(text, "the backup ") // the latter is how a restore begins
	if strings.Contains(text, "\n") || !begins || !strings.Contains(text, sc.store.Path()) {
		sc.fault("the text is %q", text)
	}
}

// settled waits until every goroutine of a scene has ended.
func (s *sweep) settled(sc *scene, before int) {
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			sc.Fatalf("%s: %d goroutines, %d before\n%s", sc.struck, runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
