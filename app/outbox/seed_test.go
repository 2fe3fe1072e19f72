package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/app/outbox"
)

// signatures are the methods that a caller of the package which this one follows has
// written code against; New, Retry and Dismiss have an error more.
type signatures interface {
	Accept(ctx context.Context, workspaceID, sessionID, userID, clientMessageID, text string, model json.RawMessage) (*outbox.Entry, error)
	List(ctx context.Context, workspaceID, sessionID string) ([]outbox.Entry, error)
	DeliverOnce(ctx context.Context, ws, ses string, d outbox.Deliverer) bool
	Run(ctx context.Context, d outbox.Deliverer, tick time.Duration)
	Recover(ctx context.Context) int
}

type buttons interface {
	Retry(ctx context.Context, workspaceID, sessionID, id string) (outbox.RetryResult, error)
	Dismiss(ctx context.Context, workspaceID, sessionID, id string) (outbox.DismissResult, error)
}

type upkeep interface {
	ParkWorkspace(ctx context.Context, workspaceID, reason string) (int, error)
	UnparkWorkspace(ctx context.Context, workspaceID string) (int, error)
	CleanupWorkspace(ctx context.Context, workspaceID string) (int, error)
	SweepWorkspaceParkedErrors(ctx context.Context, workspaceID string) (int, error)
	SweepWorkspaceUnverifiable(ctx context.Context, workspaceID string) (int, error)
}

type setters interface {
	SetVerifier(v outbox.Verifier)
	SetLedgerProbe(p outbox.LedgerProbe)
	SetOnDelivered(h outbox.DeliveredHook)
	SetOnStaged(h outbox.StagedHook)
}

var (
	_ signatures = (*outbox.Service)(nil)
	_ buttons    = (*outbox.Service)(nil)
	_ upkeep     = (*outbox.Service)(nil)
	_ setters    = (*outbox.Service)(nil)
)

// conversation is a receiver as such a caller has one.
type conversation struct {
	mu       sync.Mutex
	texts    map[string]int
	events   []string
	answer   error
	heldByIt bool
}

func (c *conversation) deliver(_ context.Context, _, _ string, e outbox.Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.heldByIt {
		c.texts[e.Text]++
	}
	return c.answer
}

func (c *conversation) note(event string) func(ws, ses string, e outbox.Entry) {
	return func(ws, ses string, e outbox.Entry) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.events = append(c.events, event+" "+ws+" "+ses+" "+e.Text)
	}
}

// newService wires a service as before, setters first.
func newService(t *testing.T, c *conversation) *outbox.Service {
	t.Helper()
	s, err := outbox.New(outbox.Options{Store: memory.New().Open()})
	if err != nil {
		t.Fatal(err)
	}
	s.SetVerifier(func(_ context.Context, _, _ string, e outbox.Entry) outbox.Verdict {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.texts[e.Text] > 0 {
			return outbox.VerdictDelivered
		}
		return outbox.VerdictAbsent
	})
	s.SetLedgerProbe(func(_ context.Context, _, _, _ string, _ uint32) (string, error) { return "", nil })
	s.SetOnStaged(c.note("staged"))
	s.SetOnDelivered(c.note("delivered"))
	return s
}

// TestOUT0_SeedCallersRun: a program that was written against the package which this one
// follows does what it did.
func TestOUT0_SeedCallersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &conversation{texts: map[string]int{}, answer: outbox.Ambiguous(errors.New("cut"))}
		s := newService(t, c)
		if n := s.Recover(ctx); n != 0 {
			t.Errorf("%d sends were recovered", n)
		}
		entry, err := s.Accept(ctx, "w", "s", "user", "m1", "hello", json.RawMessage(`{"id":"x"}`))
		if err != nil || entry.Status != outbox.StatusPending {
			t.Fatalf("accepted %+v, %v", entry, err)
		}
		_, err = s.Accept(ctx, "w", "s", "user", "m1", "hello", nil)
		var duplicate *outbox.Duplicate
		if !errors.As(err, &duplicate) || duplicate.AcceptedID != entry.ID {
			t.Errorf("the second accept says %v", err)
		}
		over := make(chan struct{})
		go func() {
			defer close(over)
			s.Run(ctx, c.deliver, 200*time.Millisecond)
		}()
		<-time.After(5 * time.Second)
		cancel()
		<-over
		entries, err := s.List(t.Context(), "w", "s")
		if len(entries) != 0 || err != nil || c.texts["hello"] != 1 {
			t.Errorf("left are %v, %v; it arrived %d times", entries, err, c.texts["hello"])
		}
		if len(c.events) != 2 || c.events[0] != "staged w s hello" || c.events[1] != "delivered w s hello" {
			t.Errorf("the hooks heard %q", c.events)
		}
	})
}

// TestOUT0_SeedOperations: the queue's buttons and the workspace's transitions.
func TestOUT0_SeedOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		c := &conversation{texts: map[string]int{}, answer: outbox.Transient(errors.New("down")), heldByIt: true}
		s := newService(t, c)
		entry, err := s.Accept(ctx, "w", "s", "", "", "hello", nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if !s.DeliverOnce(ctx, "w", "s", c.deliver) {
				t.Fatal("it was not due")
			}
			<-time.After(2 * time.Minute)
		}
		numbers := map[string]func() (int, error){
			"1 parked errors": func() (int, error) { return s.SweepWorkspaceParkedErrors(ctx, "w") },
			"0 unverifiable":  func() (int, error) { return s.SweepWorkspaceUnverifiable(ctx, "v") },
		}
		for name, run := range numbers {
			if n, err := run(); n != int(name[0]-'0') || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		if n, err := s.ParkWorkspace(ctx, "w", "mode_transition"); n != 1 || err != nil {
			t.Errorf("%d parked, %v", n, err)
		}
		if n, err := s.UnparkWorkspace(ctx, "w"); n != 1 || err != nil {
			t.Errorf("%d unparked, %v", n, err)
		}
		if got, err := s.Retry(ctx, "w", "s", "ob_none"); got != outbox.RetryNotFound || err != nil {
			t.Errorf("retry answers %v, %v", got, err)
		}
		if got, err := s.Dismiss(ctx, "w", "s", entry.ID); got != outbox.DismissRemoved || err != nil {
			t.Errorf("dismiss answers %v, %v", got, err)
		}
		if _, err := s.CleanupWorkspace(ctx, "w"); err != nil {
			t.Error(err)
		}
	})
}

// TestOUT0_SeedErrors: each mark has its type, with the cause in Err.
func TestOUT0_SeedErrors(t *testing.T) {
	cause := errors.New("cause")
	var ambiguous *outbox.AmbiguousError
	if err := outbox.Ambiguous(cause); !errors.As(err, &ambiguous) || !errors.Is(ambiguous.Err, cause) || !errors.Is(errors.Unwrap(err), cause) {
		t.Errorf("ambiguous is %v", err)
	}
	var transient *outbox.TransientDeliveryError
	if err := outbox.Transient(cause); !errors.As(err, &transient) || !errors.Is(transient.Err, cause) || !errors.Is(errors.Unwrap(err), cause) {
		t.Errorf("transient is %v", err)
	}
	var prior *outbox.PriorAttemptPendingError
	if err := outbox.PriorAttemptPending(cause); !errors.As(err, &prior) || !errors.Is(prior.Err, cause) || !errors.Is(errors.Unwrap(err), cause) {
		t.Errorf("prior attempt pending is %v", err)
	}
	if outbox.VerdictInconclusive != outbox.Verdict(0) || errors.Is(outbox.ErrCapped, outbox.ErrLeaseLost) {
		t.Error("the zero verdict decides something")
	}
	for state, want := range map[string]string{
		outbox.StatusPending: "pending", outbox.StatusDelivering: "delivering", outbox.StatusVerifying: "verifying",
		outbox.StatusError: "error", outbox.StatusParked: "parked",
		outbox.LedgerStateLedgered: "LEDGER_STATE_LEDGERED", outbox.LedgerStateAdmitted: "LEDGER_STATE_ADMITTED",
		outbox.LedgerStatePromoted: "LEDGER_STATE_PROMOTED", outbox.LedgerStateTurnEnded: "LEDGER_STATE_TURN_ENDED",
		outbox.LedgerStateStalled: "LEDGER_STATE_STALLED", outbox.LedgerStateFailed: "LEDGER_STATE_FAILED",
	} {
		if state != want {
			t.Errorf("%q is %q", want, state)
		}
	}
}

// TestOUT0_SeedEntry: an entry has the fields and JSON names that it had.
func TestOUT0_SeedEntry(t *testing.T) {
	e := outbox.Entry{
		ID: "ob_1", ClientMessageID: "m", UserID: "u", Text: "t", Model: json.RawMessage(`1`), AcceptedAt: time.Unix(1, 0),
		Attempts: 2, LastAttemptAt: time.Unix(2, 0), VerifyAttempts: 3, TransientFails: 4, NextAttemptAt: time.Unix(3, 0),
		LastError: "e", Status: outbox.StatusPending, BlockedByInFlight: true, InFlightFor: time.Second,
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"id": "ob_1", "clientMessageID": "m", "userID": "u", "text": "t", "model": 1.0, "acceptedAt": "1970-01-01T00:00:01.000Z",
		"attempts": 2.0, "lastAttemptAt": "1970-01-01T00:00:02.000Z", "verifyAttempts": 3.0, "transientFails": 4.0,
		"nextAttemptAt": "1970-01-01T00:00:03.000Z", "lastError": "e", "status": "pending", "blockedByInFlight": true, "inFlightFor": 1e9,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, not %v", name, got[name], want)
		}
	}
	for _, name := range []string{"workspaceID", "sessionID", "attemptNo"} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}
