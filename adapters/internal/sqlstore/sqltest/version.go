package sqltest

import (
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// versioned is what app asks of a reader that can tell of commits.
type versioned interface{ Version() (any, error) }

func version(t *testing.T, r storage.Reader) any {
	t.Helper()
	told, ok := r.(versioned)
	if !ok {
		t.Fatal("the store does not tell of commits")
	}
	v, err := told.Version()
	must(t, err)
	return v
}

// testVersion commits in every way that there is, and wants the next version to
// be another one.
func testVersion(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store, other := p.store(t, sqlstore.Options{}), p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	now := func() (v any) {
		must(t, store.View(t.Context(), func(r storage.Reader) error {
			v = version(t, r)
			return nil
		}))
		return v
	}
	seen := now()
	if again := now(); again != seen {
		t.Errorf("nothing was committed: %v after %v", again, seen)
	}
	for _, c := range []struct {
		name   string
		commit func()
	}{
		{"the store", func() { must(t, publish(t.Context(), store)) }},
		{"another store", func() { must(t, publish(t.Context(), other)) }},
		{"another process", func() { run(t, "publish", p.path) }},
		{"the store, while it reads", func() {
			must(t, store.View(t.Context(), func(r storage.Reader) error {
				must(t, publish(t.Context(), store))
				if got := version(t, r); got != seen {
					t.Errorf("a snapshot changed: %v after %v", got, seen)
				}
				return nil
			}))
		}},
	} {
		c.commit()
		must(t, store.Update(t.Context(), func(w storage.Writer) error {
			if got := version(t, w); got == seen {
				t.Errorf("%s committed: still %v", c.name, got)
			}
			return nil
		}))
		seen = now()
	}
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		if got := version(t, w); got != seen {
			t.Errorf("nothing was committed before the lock: %v after %v", got, seen)
		}
		return nil
	}))
	must(t, store.Close())
	must(t, other.Close())
}

// testKeyIndex takes the index of keys away: a look-up that does without it would
// read the whole queue (PULL-14.6).
func testKeyIndex(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	key := "k"
	for _, descending := range []bool{false, true} {
		scan := storage.Scan{Queue: "q", Key: &key, Descending: descending}
		look := func() error {
			return store.View(t.Context(), func(r storage.Reader) error {
				return r.Scan(scan, func(inbox.Item) (bool, error) { return true, nil })
			})
		}
		must(t, look())
		p.raw(t, "DROP INDEX item_key")
		if look() == nil {
			t.Errorf("descending %t: a key is looked up without its index", descending)
		}
		p.raw(t, "CREATE INDEX item_key ON item (queue_id, key) WHERE key IS NOT NULL")
	}
	must(t, store.Close())
}
