package app

import (
	"errors"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// Options are what an Inbox is made of. All but Retention are required.
type Options struct {
	Store       storage.Store
	Clock       ports.Clock
	Expressions ports.Expressions
	Payloads    ports.Payloads
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
	if o.Store == nil || o.Clock == nil || o.Expressions == nil || o.Payloads == nil {
		return nil, errors.New("app: Options needs Store, Clock, Expressions and Payloads")
	}
	if o.Retention == nil {
		o.Retention = func(string) inbox.Retention { return inbox.DefaultRetention }
	}
	return &Inbox{o.Store, o.Clock, o.Expressions, o.Payloads, o.Retention}, nil
}

// now is the time for the rules: whole Unix seconds, cut.
func (in *Inbox) now() int64 { return in.clock.Now().Unix() }
