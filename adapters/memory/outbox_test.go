package memory_test

import (
	"testing"

	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/porttest"
	"github.com/tundish-go/tundish/ports/storage"
)

// OpenOutbox opens the same store: it has both halves.
func (p place) OpenOutbox(testing.TB) porttest.OutboxStore { return p.Place.Open() }

// BreakEntry makes a row unreadable.
func (p place) BreakEntry(t testing.TB, id string) {
	if err := p.Place.BreakEntry(id); err != nil {
		t.Fatal(err)
	}
}

func freshOutbox(testing.TB) porttest.OutboxPlace { return place{memory.New()} }

// OUT-12: the reference keeps the contract.
func TestOutbox(t *testing.T) { porttest.RunOutbox(t, freshOutbox, freshOutbox) }

// OUT-12: the reference refuses what no policy may store, so that tests of the
// application on this store find it.
func TestOUT12_SenselessEntriesAreRefused(t *testing.T) {
	store := memory.New().Open()
	lane := outbox.Lane{Workspace: "w", Session: "s"}
	sound := outbox.Entry{ID: "ob_1", WorkspaceID: "w", SessionID: "s", Text: "t", Status: outbox.StatusPending}
	if err := store.UpdateLane(t.Context(), lane, func(w storage.LaneWriter) error { return w.Insert(sound) }); err != nil {
		t.Fatal(err)
	}
	broken := sound
	broken.Status = "broken"
	for name, change := range map[string]func(storage.LaneWriter) error{
		"insert":    func(w storage.LaneWriter) error { e := broken; e.ID = "ob_2"; return w.Insert(e) },
		"put":       func(w storage.LaneWriter) error { return w.Put(broken, true) },
		"delivered": func(w storage.LaneWriter) error { return w.PutDelivered(storage.DeliveredRecord{Entry: broken}) },
		"no id":     func(w storage.LaneWriter) error { return w.PutDedupe(outbox.Dedupe{Lane: lane}) },
	} {
		if err := store.UpdateLane(t.Context(), lane, change); err == nil || domain.CodeOf(err) != domain.Internal {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := memory.New().BreakEntry("ob_1"); err == nil {
		t.Error("BreakEntry found an absent entry")
	}
}
