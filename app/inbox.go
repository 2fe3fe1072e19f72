package app

import (
	"errors"
	"time"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// Options are what an Inbox is made of. Store, Expressions and Payloads are
// required.
type Options struct {
	Store       storage.Store
	Expressions ports.Expressions
	Payloads    ports.Payloads
	// Clock tells the time; nil means the machine's.
	Clock ports.Clock
	// Retention answers the limits of a queue; nil means
	// inbox.DefaultRetention for every queue (CFG-2).
	Retention func(queue string) inbox.Retention
}

// Inbox is the pull half of tundish over one store. It is safe for concurrent
// use and holds no state of its own: several Inboxes on one database, in one
// process or many, work together.
type Inbox struct {
	store       storage.Store
	clock       ports.Clock
	expressions ports.Expressions
	payloads    ports.Payloads
	retention   func(queue string) inbox.Retention
}

// New makes an Inbox. It does not touch the store, and does not own it: closing
// the store is the caller's.
func New(o Options) (*Inbox, error) {
	if o.Store == nil || o.Expressions == nil || o.Payloads == nil {
		return nil, errors.New("app: Options needs Store, Expressions and Payloads")
	}
	if o.Clock == nil {
		o.Clock = machine{start: time.Now()}
	}
	if o.Retention == nil {
		o.Retention = func(string) inbox.Retention { return inbox.DefaultRetention() }
	}
	return &Inbox{o.Store, o.Clock, o.Expressions, o.Payloads, o.Retention}, nil
}

// now is the time for the rules: whole Unix seconds, cut.
func (in *Inbox) now() int64 { return in.clock.Now().Unix() }

// machine is the clock of the machine.
type machine struct{ start time.Time }

func (machine) Now() time.Time           { return time.Now() }
func (m machine) Elapsed() time.Duration { return time.Since(m.start) }
