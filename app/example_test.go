package app_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// A service publishes an event, and an agent's role pulls and acks it. With
// sqlitecgo.Open or sqlitewasm.Open in place of the memory store, the queues are
// those of the command line.
func Example() {
	ctx := context.Background()
	mail, err := app.New(app.Options{
		Store:       memory.New().Open(),
		Expressions: jq.New(),
		Payloads:    payload.New(),
	})
	if err != nil {
		panic(err)
	}

	rules := inbox.DefaultRules("ci")
	rules.Filter = `.payload.status == "failed"`
	rules.Template = `"\(.payload.repo) failed on \(.payload.branch)"`
	rules.Consume = inbox.OnAck
	if _, err := mail.Subscribe(ctx, app.Subscribe{Name: "red", Subscriber: "fixer", Rules: &rules}); err != nil {
		panic(err)
	}

	event := []byte(`{"repo": "web", "branch": "main", "status": "failed"}`)
	published, err := mail.Publish(ctx, app.Message{Queue: "ci", Payload: event})
	if err != nil {
		panic(err)
	}
	fmt.Println("published as", published.ID)

	if _, err := mail.Pull(ctx, app.Pull{Subscription: "red", Subscriber: "fixer"}, os.Stdout); err != nil {
		panic(err)
	}
	if _, err := mail.Ack(ctx, app.Ack{Item: published.ID, Subscriber: "fixer"}); err != nil {
		panic(err)
	}

	lines, err := mail.Status(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(lines[0].Subscriber, "stands at", lines[0].Cursor, "with", lines[0].Unread, "unread")

	// Output:
	// published as 1
	// tundish: subscription=red subscriber=fixer delivered=1 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0
	// [ci#1] web failed on main
	// fixer stands at 1 with 0 unread
}
