package outbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/delivery"
	"github.com/tundish-go/tundish/ports/storage"
)

// Options are what a Service is made of. Store is required.
type Options struct {
	Store  storage.Outbox
	Config Config
	// Routes say which workspaces Run and RunOnce work on, and how. Without routes
	// they need a Deliverer, which then gets everything.
	Routes []Route
	// Clock tells the time; nil means the machine's.
	Clock ports.Clock
	// Owner names this worker to people; empty means host and process number.
	Owner string
	// Log hears what workers do, never a text; nil means nobody does.
	Log *slog.Logger
	// OnDelivered is a delivered hook that may fail: it is then run again with a
	// growing pause. It counts instead of the one of SetOnDelivered.
	OnDelivered func(ctx context.Context, e Entry) error
	// OnStaged is the staged hook, unless SetOnStaged sets another.
	OnStaged StagedHook
	// Drain is how long a cancelled Run waits for sends before it cancels them;
	// zero means 30 s, less means not at all.
	Drain time.Duration
}

// DefaultDrain is how long a cancelled Run waits for sends.
const DefaultDrain = 30 * time.Second

// Service is the outbox over one store. Its methods are safe for concurrent use,
// except that the setters must come before everything else.
type Service struct {
	store  storage.Outbox
	config Config
	routes []Route
	clock  ports.Clock
	owner  string
	log    *slog.Logger
	drain  time.Duration

	verifier    delivery.Verifier
	ledger      LedgerProbe
	onDelivered func(ctx context.Context, e Entry) error
	onStaged    StagedHook

	mu        sync.Mutex
	sightings map[outbox.Lane]outbox.Sighting // of leases of others
	reached   map[string]bool                 // workspaces whose receiver answered last time
	back      []string                        // of those, the ones to see to
	hooked    map[string]bool                 // hooks begun here and not marked yet, by entry id: whether they ran
	workers   map[*worker]struct{}            // that run now
}

// New makes a Service. It does not touch the store, and does not own it. The error
// names the field of the Config or the Route that cannot work, with code Invalid.
func New(o Options) (*Service, error) {
	if o.Store == nil {
		return nil, errors.New("outbox: Options needs a Store")
	}
	config, err := o.Config.Complete()
	if err != nil {
		return nil, err
	}
	for _, r := range o.Routes {
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	if o.Clock == nil {
		o.Clock = machine{start: time.Now()}
	}
	if o.Owner == "" {
		host, _ := os.Hostname()
		o.Owner = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Drain == 0 {
		o.Drain = DefaultDrain
	}
	return &Service{
		store: o.Store, config: config, routes: o.Routes, clock: o.Clock, log: o.Log, drain: o.Drain,
		owner:       o.Owner + ":" + token()[:8],
		onDelivered: o.OnDelivered, onStaged: o.OnStaged,
		sightings: map[outbox.Lane]outbox.Sighting{}, reached: map[string]bool{},
		hooked: map[string]bool{}, workers: map[*worker]struct{}{},
	}, nil
}

// SetVerifier wires what finds out about sends whose outcome is not known, for
// every route that has no verifier of its own. Call it before Run.
func (s *Service) SetVerifier(v Verifier) {
	if v == nil {
		s.verifier = nil
		return
	}
	s.verifier = v
}

// SetLedgerProbe wires the receiver's ledger, for every route that has none of its
// own. Call it before Run.
func (s *Service) SetLedgerProbe(p LedgerProbe) { s.ledger = p }

// SetOnDelivered wires the delivered hook. Call it before Run.
func (s *Service) SetOnDelivered(h DeliveredHook) {
	if h == nil {
		s.onDelivered = nil
		return
	}
	s.onDelivered = func(_ context.Context, e Entry) error {
		h(e.WorkspaceID, e.SessionID, e)
		return nil
	}
}

// SetOnStaged wires the staged hook. Call it before Run.
func (s *Service) SetOnStaged(h StagedHook) { s.onStaged = h }

// now is the time for the rules: UTC, cut to milliseconds.
func (s *Service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Millisecond) }

// machine is the clock of the machine.
type machine struct{ start time.Time }

func (machine) Now() time.Time           { return time.Now() }
func (m machine) Elapsed() time.Duration { return time.Since(m.start) }

// token makes a random text that is used for one lease only.
func token() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// newID makes the id of an entry: ob_ and a UUID of version 7, which begins with
// the time.
func newID(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("ob_%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// unsure tells whether a unit of work that failed with err may have been stored
// all the same.
func unsure(err error) bool {
	switch domain.CodeOf(err) {
	case domain.Busy, domain.Full, domain.Invalid, domain.Foreign, domain.Newer, domain.Unsupported, domain.ReadOnly, domain.Denied:
		return false
	}
	return true
}
