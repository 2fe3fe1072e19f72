package app

import (
	"encoding/json"
	"strconv"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// The format of an export. A field or a type that is added makes another version:
// a reader refuses what it does not know, since leaving it out would lose it.
const (
	formatName    = "tundish-export"
	formatVersion = 1

	typeHeader       = "header"
	typeSubscription = "subscription"
	typeItem         = "item"
	typeDedupe       = "dedupe"
	typeScheduled    = "scheduled"
	typeEnd          = "end"
)

// The lines of an export, in their order (CARE-7). Times are whole Unix seconds.
type (
	headerLine struct {
		Type          string `json:"type"`
		Format        string `json:"format"`
		Version       int    `json:"version"`
		Queue         string `json:"queue,omitempty"` // the only one
		LastItem      int64  `json:"last_item"`
		LastPull      int64  `json:"last_pull"`
		LastScheduled int64  `json:"last_scheduled"`
	}
	subscriptionLine struct {
		Type      string          `json:"type"`
		Name      string          `json:"name"`
		Rules     json.RawMessage `json:"rules"`
		Scan      int64           `json:"scan"`
		Dropped   int64           `json:"dropped"`
		Errors    int64           `json:"errors"`
		Parked    int64           `json:"parked"`
		LastError string          `json:"last_error"`
		Bindings  []bindingLine   `json:"bindings"`
	}
	bindingLine struct {
		Subscriber    string `json:"subscriber"`
		Position      int64  `json:"position"`
		NextAt        int64  `json:"next_at"`
		LastPull      int64  `json:"last_pull"`
		Dropped       int64  `json:"dropped"`
		Errors        int64  `json:"errors"`
		Parked        int64  `json:"parked"`
		LastError     string `json:"last_error"`
		JudgedAfter   int64  `json:"judged_after"`
		JudgedThrough int64  `json:"judged_through"`
	}
	itemLine struct {
		Type      string          `json:"type"`
		ID        int64           `json:"id"`
		Queue     string          `json:"queue"`
		Key       *string         `json:"key"`
		Payload   json.RawMessage `json:"payload"`
		CreatedAt int64           `json:"created_at"`
		ExpiresAt int64           `json:"expires_at,omitempty"`
		Acks      []ackLine       `json:"acks,omitempty"`
		Leases    []leaseLine     `json:"leases,omitempty"`
		Shown     []shownLine     `json:"shown,omitempty"`
	}
	ackLine struct {
		Subscription string `json:"subscription"`
		Owner        string `json:"owner"`
		At           int64  `json:"at"`
		Note         string `json:"note,omitempty"`
	}
	leaseLine struct {
		Subscription string `json:"subscription"`
		Owner        string `json:"owner"` // empty after a nack
		GrantedAt    int64  `json:"granted_at"`
		Until        int64  `json:"until"`
		Attempts     int64  `json:"attempts"`
		Parked       bool   `json:"parked"`
	}
	shownLine struct {
		Subscription string `json:"subscription"`
		Subscriber   string `json:"subscriber"`
	}
	dedupeLine struct {
		Type      string `json:"type"`
		Queue     string `json:"queue"`
		ID        string `json:"id"`
		Item      int64  `json:"item,omitempty"`
		Scheduled int64  `json:"scheduled,omitempty"`
		At        int64  `json:"at"`
	}
	scheduledLine struct {
		Type      string          `json:"type"`
		Number    int64           `json:"number"`
		Queue     string          `json:"queue"`
		Key       *string         `json:"key"`
		Payload   json.RawMessage `json:"payload"`
		At        int64           `json:"at"`
		MadeAt    int64           `json:"made_at,omitempty"`
		Delayed   bool            `json:"delayed"`
		ExpiresAt int64           `json:"expires_at,omitempty"`
		Dedupe    string          `json:"dedupe,omitempty"`
	}
	endLine struct {
		Type  string `json:"type"`
		Lines int64  `json:"lines"` // before this one
	}
)

func subscriptionFrom(sub inbox.Subscription, bindings []inbox.Binding) subscriptionLine {
	line := subscriptionLine{
		Type: typeSubscription, Name: sub.Name, Rules: json.RawMessage(sub.Rules.JSON()), Scan: sub.Scan,
		Dropped: sub.Unreported.Dropped, Errors: sub.Unreported.Errors, Parked: sub.Unreported.Parked,
		LastError: sub.LastError, Bindings: []bindingLine{},
	}
	for _, b := range bindings {
		line.Bindings = append(line.Bindings, bindingLine{
			Subscriber: b.Subscriber, Position: b.Position, NextAt: b.NextAt, LastPull: b.LastPull,
			Dropped: b.Unreported.Dropped, Errors: b.Unreported.Errors, Parked: b.Unreported.Parked,
			LastError: b.LastError, JudgedAfter: b.Judged.After, JudgedThrough: b.Judged.Through,
		})
	}
	return line
}

func (b bindingLine) binding(subscription string) inbox.Binding {
	return inbox.Binding{
		Subscription: subscription, Subscriber: b.Subscriber, Position: b.Position, NextAt: b.NextAt, LastPull: b.LastPull,
		Unreported: inbox.Counts{Dropped: b.Dropped, Errors: b.Errors, Parked: b.Parked},
		LastError:  b.LastError, Judged: inbox.Span{After: b.JudgedAfter, Through: b.JudgedThrough},
	}
}

func itemFrom(item inbox.Item, c attached) itemLine {
	line := itemLine{
		Type: typeItem, ID: item.ID, Queue: item.Queue, Key: item.Key, Payload: item.Payload,
		CreatedAt: item.CreatedAt, ExpiresAt: item.ExpiresAt,
	}
	for _, a := range c.acks {
		line.Acks = append(line.Acks, ackLine{a.Subscription, a.Owner, a.At, a.Note})
	}
	for _, l := range c.leases {
		line.Leases = append(line.Leases, leaseLine{l.Subscription, l.Owner, l.Granted, l.Until, l.Attempts, l.Parked})
	}
	for _, m := range c.shown {
		line.Shown = append(line.Shown, shownLine{m.Subscription, m.Subscriber})
	}
	return line
}

func (l itemLine) item() inbox.Item {
	return inbox.Item{ID: l.ID, Queue: l.Queue, Key: l.Key, Payload: l.Payload, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt}
}

func (a ackLine) ack(item int64) inbox.Ack {
	return inbox.Ack{Subscription: a.Subscription, Item: item, Owner: a.Owner, At: a.At, Note: a.Note}
}

func (l leaseLine) lease(item int64) inbox.Lease {
	return inbox.Lease{
		Subscription: l.Subscription, Item: item, Owner: l.Owner, Granted: l.GrantedAt, Until: l.Until,
		Attempts: l.Attempts, Parked: l.Parked,
	}
}

func dedupeFrom(d inbox.Dedupe) dedupeLine {
	return dedupeLine{Type: typeDedupe, Queue: d.Queue, ID: d.ID, Item: d.Item, Scheduled: d.Scheduled, At: d.At}
}

func (l dedupeLine) dedupe() inbox.Dedupe {
	return inbox.Dedupe{Queue: l.Queue, ID: l.ID, Item: l.Item, Scheduled: l.Scheduled, At: l.At}
}

func scheduledFrom(s inbox.Scheduled) scheduledLine {
	return scheduledLine{
		Type: typeScheduled, Number: s.Number, Queue: s.Queue, Key: s.Key, Payload: s.Payload, At: s.At,
		MadeAt: s.MadeAt, Delayed: s.Delayed, ExpiresAt: s.ExpiresAt, Dedupe: s.Dedupe,
	}
}

func (l scheduledLine) scheduled() inbox.Scheduled {
	return inbox.Scheduled{
		Number: l.Number, Queue: l.Queue, Key: l.Key, Payload: l.Payload, At: l.At,
		MadeAt: l.MadeAt, Delayed: l.Delayed, ExpiresAt: l.ExpiresAt, Dedupe: l.Dedupe,
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// archive is the store's way to the inbox as a whole.
func (in *Inbox) archive() (storage.Archive, error) {
	archive, ok := in.store.(storage.Archive)
	if !ok {
		return nil, &domain.Error{Code: domain.Unsupported, Text: "the store can neither be exported nor imported"}
	}
	return archive, nil
}
