package main

import (
	"context"
	"errors"
	"io"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// ours is the side of app.
type ours struct {
	store storage.Store
	mail  *app.Inbox
}

func openApp(ctx context.Context, path string) (side, error) {
	store, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	mail, err := app.New(app.Options{
		Store: store, Expressions: jq.New(), Payloads: payload.New(),
		Retention: func(string) inbox.Retention { return inbox.Retention{} },
	})
	if err != nil {
		return nil, err
	}
	rules := inbox.DefaultRules("q")
	rules.Limit = perPull
	_, err = mail.Subscribe(ctx, app.Subscribe{Name: "s", Subscriber: "w", Rules: &rules})
	return &ours{store, mail}, err
}

func (o *ours) publish(ctx context.Context, payload string) error {
	_, err := o.mail.Publish(ctx, app.Message{Queue: "q", Payload: []byte(payload)})
	return err
}

func (o *ours) pull(ctx context.Context) (int64, error) {
	done, err := o.mail.Pull(ctx, app.Pull{Subscription: "s", Subscriber: "w", MaxBytes: 1 << 20}, io.Discard)
	return done.Delivered, err
}

func (o *ours) lines(context.Context, string) error {
	return errors.New("tundish publish --lines is that side")
}

func (o *ours) close() error { return o.store.Close() }
