package outbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// rig is one place, a store on it that can be made to fail, and a receiver.
type rig struct {
	*testing.T
	place *memory.Place
	store *flaky
	peer  *peer
}

// bubble runs fn with a rig under a clock of its own.
func bubble(t *testing.T, fn func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		place := memory.New()
		fn(&rig{T: t, place: place, store: &flaky{Outbox: place.Open()}, peer: &peer{}})
	})
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// service makes one with the receiver's verifier, on the rig's store unless o has
// another.
func (r *rig) service(o Options) *Service {
	r.Helper()
	if o.Store == nil {
		o.Store = r.store
	}
	s, err := New(o)
	r.must(err)
	s.SetVerifier(r.peer.verify)
	return s
}

// other is a store on the same place that never fails.
func (r *rig) other() storage.Outbox { return r.place.Open() }

// accept accepts text for a session of the workspace w.
func (r *rig) accept(s *Service, session, text string) string {
	r.Helper()
	e, err := s.Accept(r.Context(), "w", session, "", "", text, nil)
	r.must(err)
	return e.ID
}

// entry finds a living entry.
func (r *rig) entry(s *Service, id string) Entry {
	r.Helper()
	entries, err := s.List(r.Context(), "", "")
	r.must(err)
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		r.Fatalf("entry %s is gone", id)
	}
	return entries[i]
}

// left is how many entries live.
func (r *rig) left(s *Service) int {
	r.Helper()
	entries, err := s.List(r.Context(), "", "")
	r.must(err)
	return len(entries)
}

// once does one turn of a session of w.
func (r *rig) once(s *Service, session string) bool {
	return s.DeliverOnce(r.Context(), "w", session, r.peer.deliver)
}

// run starts a worker; stop cancels it and waits for its end.
func (r *rig) run(s *Service) (stop func()) { return r.runBy(s, r.peer.deliver) }

// runBy is run with another deliverer, which may be nil.
func (r *rig) runBy(s *Service, d Deliverer) (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.Run(ctx, d, 0)
	}()
	return func() {
		cancel()
		<-over
	}
}

// crash stages an entry of a lane out and leaves it there, as a worker does that is
// killed before its send ends.
func (r *rig) crash(s *Service, session string) *job {
	r.Helper()
	j, _, err := s.take(r.Context(), outbox.Lane{Workspace: "w", Session: session}, Route{Deliverer: Deliverer(r.peer.deliver)})
	r.must(err)
	if j == nil {
		r.Fatal("there was nothing to take")
	}
	return j
}

// wait lets d pass.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// errCut is what a cut line looks like.
var errCut = errors.New("cut")

// peer is a receiver that never dedupes.
type peer struct {
	mu     sync.Mutex
	got    []Entry
	answer func(ctx context.Context, e Entry) error // after it was stored; nil: nothing to complain about
	before func(e Entry) error                      // an error refuses it; nil takes everything
	act    func(e Entry) error                      // instead of answer
}

func (p *peer) deliver(ctx context.Context, _, _ string, e Entry) error {
	p.mu.Lock()
	answer, before, act := p.answer, p.before, p.act
	p.mu.Unlock()
	if before != nil {
		if err := before(e); err != nil {
			return err
		}
	}
	p.mu.Lock()
	p.got = append(p.got, e)
	p.mu.Unlock()
	switch {
	case act != nil:
		return act(e)
	case answer != nil:
		return answer(ctx, e)
	}
	return nil
}

// refuse makes the receiver answer err without storing anything; nil ends that.
func (p *peer) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = func(Entry) error { return err }
}

// stays makes the receiver store and then answer err.
func (p *peer) stays(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(context.Context, Entry) error { return err }
}

// hang makes the receiver store and then answer nothing for d.
func (p *peer) hang(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(ctx context.Context, _ Entry) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *peer) verify(_ context.Context, _, _ string, e Entry) Verdict {
	if p.times(e.ID) > 0 {
		return VerdictDelivered
	}
	return VerdictAbsent
}

// times is how often an entry arrived.
func (p *peer) times(id string) int {
	n := 0
	for _, e := range p.all() {
		if e.ID == id {
			n++
		}
	}
	return n
}

func (p *peer) all() []Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

func (p *peer) texts() []string {
	var texts []string
	for _, e := range p.all() {
		texts = append(texts, e.Text)
	}
	return texts
}

// stepping is a clock whose wall can be moved.
type stepping struct {
	start time.Time
	ahead atomic.Int64
}

func newStepping() *stepping { return &stepping{start: time.Now()} }

func (c *stepping) Now() time.Time         { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *stepping) Elapsed() time.Duration { return time.Since(c.start) }
func (c *stepping) step(d time.Duration)   { c.ahead.Add(int64(d)) }

func unknown(context.Context, string, string, Entry) Verdict { return VerdictInconclusive }

// ctx shortens the heads of fakes.
type ctx = context.Context
