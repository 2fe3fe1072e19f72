package memory_test

import (
	"errors"
	"testing"

	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/porttest"
	"github.com/tundish-go/tundish/ports/storage"
)

type place struct{ *memory.Place }

func (p place) Open(testing.TB) storage.Store { return p.Place.Open() }

func (p place) Break(t testing.TB, subscription string) {
	if err := p.Place.Break(subscription, "broken by the test"); err != nil {
		t.Fatal(err)
	}
}

func fresh(testing.TB) porttest.Place { return place{memory.New()} }

func TestStorage(t *testing.T) { porttest.Run(t, fresh, fresh) }

// TestConditions: what breaks a condition of the contract is an error, so that
// tests of the application on this store find it.
func TestConditions(t *testing.T) {
	p := memory.New()
	store := p.Open()
	sub := inbox.Subscription{Name: "s", Rules: inbox.DefaultRules("q")}
	seed := func(w storage.Writer) error {
		_, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1")})
		return errors.Join(err, w.PutSubscription(sub))
	}
	if err := store.Update(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(storage.Writer) error{
		"ack of no item":              func(w storage.Writer) error { return w.PutAck(inbox.Ack{Subscription: "s", Item: 2}) },
		"ack in no subscription":      func(w storage.Writer) error { return w.PutAck(inbox.Ack{Subscription: "t", Item: 1}) },
		"lease on no item":            func(w storage.Writer) error { return w.PutLease(inbox.Lease{Subscription: "s", Item: 2}) },
		"lease in no subscription":    func(w storage.Writer) error { return w.PutLease(inbox.Lease{Subscription: "t", Item: 1}) },
		"item shown to no subscriber": func(w storage.Writer) error { return w.MarkShown("s", "w", []int64{1}) },
	} {
		if err := store.Update(t.Context(), change); domain.CodeOf(err) != domain.Internal || err == nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := p.Break("absent", "no reason"); err == nil {
		t.Error("Break found an absent subscription")
	}
}

func TestClosed(t *testing.T) {
	store := memory.New().Open()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	viewed := store.View(t.Context(), func(storage.Reader) error { return nil })
	updated := store.Update(t.Context(), func(storage.Writer) error { return nil })
	_, checked := store.Check(t.Context())
	for call, err := range map[string]error{"View": viewed, "Update": updated, "Check": checked, "Close": store.Close()} {
		if err == nil {
			t.Errorf("%s works on a closed store", call)
		}
	}
}
