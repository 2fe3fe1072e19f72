package sqltest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/faultdrv"
	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// scene is a database with an inbox on it, and a ledger of what it said.
type scene struct {
	*testing.T
	faulty Faulty
	path   string
	plan   *faultdrv.Plan
	store  *sqlstore.Store
	inbox  *app.Inbox
	ledger ledger
	struck string // the operation that failed
}

// image is a database at a moment: the content of its files by name, without the
// shared memory, which is worth nothing after a crash; and what is known of it.
type image struct {
	files  map[string][]byte
	ledger ledger
}

func newScene(t *testing.T, f Faulty) *scene {
	t.Helper()
	return image{ledger: newLedger()}.open(t, f)
}

// oldImage is a database of the old program.
func oldImage(t *testing.T, f Faulty) image {
	t.Helper()
	opener := func(ctx context.Context, path string, opts sqlstore.Options) (*sqlstore.Store, error) {
		return sqlstore.Open(ctx, f.Driver, path, opts)
	}
	p := oldPlace(t, opener)
	sc := &scene{T: t, path: p.path, ledger: newLedger()}
	return sc.image()
}

// open puts the files into a folder of their own and opens an inbox.
func (m image) open(t *testing.T, f Faulty) *scene {
	t.Helper()
	folder := t.TempDir()
	for name, content := range m.files {
		must(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
	sc := &scene{T: t, faulty: f, path: filepath.Join(folder, "t.db"), ledger: m.ledger.clone()}
	sc.start()
	return sc
}

// start opens the store and the inbox.
func (sc *scene) start() {
	sc.Helper()
	engine := jq.New()
	sc.plan = faultdrv.New()
	var err error
	sc.store, err = sc.faulty.open(sc.Context(), sc.plan, sc.path, sqlstore.Options{Expressions: engine})
	sc.must("opening", err)
	sc.inbox, err = app.New(app.Options{
		Store: sc.store, Expressions: engine, Payloads: payload.New(), Clock: stopped{&sc.ledger.now, time.Now()},
		Retention: func(queue string) inbox.Retention {
			if queue == "ring" {
				return inbox.Retention{MaxItems: ringItems}
			}
			return inbox.DefaultRetention()
		},
	})
	sc.must("opening", err)
}

// stopped is a clock that stands still until a step moves it.
type stopped struct {
	now   *int64
	begun time.Time
}

func (c stopped) Now() time.Time { return time.Unix(*c.now, 0) }

func (c stopped) Elapsed() time.Duration { return time.Since(c.begun) }

func (sc *scene) must(what string, err error) {
	sc.Helper()
	if err != nil {
		sc.Fatalf("%s: %s: %v", sc.struck, what, err)
	}
}

// fault reports what is wrong, behind the operation that failed.
func (sc *scene) fault(format string, args ...any) {
	sc.Helper()
	sc.Errorf("%s: %s", sc.struck, fmt.Sprintf(format, args...))
}

// image reads the files as they are.
func (sc *scene) image() image {
	m := image{files: map[string][]byte{}, ledger: sc.ledger.clone()}
	entries, err := os.ReadDir(filepath.Dir(sc.path))
	must(sc.T, err)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), "-shm") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(filepath.Dir(sc.path), entry.Name()))
		must(sc.T, err)
		name := strings.Replace(entry.Name(), strings.TrimSuffix(filepath.Base(sc.path), ".db"), "t", 1)
		m.files[name] = content
	}
	return m
}

// reborn ends a scene whose process has died, and opens what it left. A step that
// clears files away on its way out does so in death too, as no dead process could:
// SQLite then misses them when it is closed.
func (sc *scene) reborn(crash image, clears bool) *scene {
	sc.Helper()
	said := sc.ledger
	if err := sc.plan.Bury(); err != nil && !(clears && strings.Contains(err.Error(), "disk I/O error")) {
		sc.must("burying", err)
	}
	_ = sc.store.Close() // of the dead driver
	must(sc.T, os.RemoveAll(filepath.Dir(sc.path)))
	born := crash.open(sc.T, sc.faulty)
	born.ledger = said.clone()
	born.struck = sc.struck
	return born
}

// reopen closes the store and opens it anew.
func (sc *scene) reopen() *scene {
	sc.Helper()
	sc.must("closing", sc.store.Close())
	sc.start()
	return sc
}

// leave ends the scene.
func (sc *scene) leave() {
	sc.Helper()
	sc.must("closing", sc.store.Close())
	must(sc.T, os.RemoveAll(filepath.Dir(sc.path)))
}

// recovered reports a panic.
func (sc *scene) recovered() {
	if p := recover(); p != nil {
		sc.Fatalf("%s: panic: %v\n%s", sc.struck, p, debug.Stack())
	}
}

// warmUp has the store work, so that statements and connections are there.
func (sc *scene) warmUp(ctx context.Context) error {
	if _, err := sc.inbox.Status(ctx); err != nil {
		return err
	}
	return sc.publish(ctx, "warm", app.Message{})
}

// publish publishes a message with a payload of its own.
func (sc *scene) publish(ctx context.Context, queue string, m app.Message) error {
	m.Queue = queue
	if m.Payload == nil {
		m.Payload = []byte(sc.ledger.payload())
	}
	sc.ledger.try(string(m.Payload))
	done, err := sc.inbox.Publish(ctx, m)
	if err != nil {
		return err
	}
	return sc.ledger.store(queue, string(m.Payload), done.ID, done.Duplicate)
}

// publishAll publishes a batch.
func (sc *scene) publishAll(ctx context.Context, queue string, size int) error {
	var payloads []string
	var drafts []app.Draft
	for range size {
		payloads = append(payloads, sc.ledger.payload())
		draft, err := sc.inbox.Prepare(ctx, app.Message{Queue: queue, Payload: []byte(payloads[len(payloads)-1])})
		if err != nil {
			return err
		}
		drafts = append(drafts, draft)
	}
	sc.ledger.try(payloads...)
	ids, err := sc.inbox.PublishAll(ctx, queue, drafts)
	for i, id := range ids {
		if err := sc.ledger.store(queue, payloads[i], id, false); err != nil {
			return err
		}
	}
	return err
}

// pull pulls, and notes what was printed and whether it counts as delivered.
func (sc *scene) pull(ctx context.Context, subscription, subscriber string) error {
	p := app.Pull{Subscription: subscription, Subscriber: subscriber, Due: subscription == ""}
	if p.Due {
		subscription = "digest"
	}
	var out bytes.Buffer
	done, err := sc.inbox.Pull(ctx, p, &out)
	ids := printed(out.String())
	if err == nil && done.Delivered != int64(len(ids)) {
		return fmt.Errorf("%d delivered and %v printed", done.Delivered, ids)
	}
	sc.ledger.print(subscription, subscriber, ids, err == nil)
	return err
}

// ack acks the lowest item that was printed to a subscriber and not acked yet.
func (sc *scene) ack(ctx context.Context, subscription, subscriber string) error {
	id := sc.ledger.toAck(subscription, subscriber)
	_, err := sc.inbox.Ack(ctx, app.Ack{Item: id, Subscriber: subscriber, Subscription: subscription})
	if err == nil {
		sc.ledger.acks[claim{subscription, id}] = subscriber
	}
	return err
}

// subscribe makes a subscription or replaces its rules.
func (sc *scene) subscribe(ctx context.Context, name, subscriber string, rules *inbox.Rules) error {
	if rules != nil {
		sc.ledger.rules[name] = maps.Clone(sc.ledger.rules[name])
		if sc.ledger.rules[name] == nil {
			sc.ledger.rules[name] = map[inbox.Rules]bool{}
		}
		sc.ledger.rules[name][*rules] = true
	}
	sc.ledger.bindings[binding{name, subscriber}] = perhaps
	_, err := sc.inbox.Subscribe(ctx, app.Subscribe{Name: name, Subscriber: subscriber, Rules: rules})
	if err != nil {
		return err
	}
	if rules != nil {
		sc.ledger.rules[name] = map[inbox.Rules]bool{*rules: true}
	}
	sc.ledger.bindings[binding{name, subscriber}] = bound
	return nil
}
