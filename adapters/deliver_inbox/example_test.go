package deliverinbox_test

import (
	"context"
	"encoding/json"
	"fmt"

	deliverinbox "github.com/tundish-go/tundish/adapters/deliver_inbox"
	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// OUT-15: push and pull meet: an entry that is sent twice is one item of the queue,
// and what the inbox refuses is pointless to repeat.
func ExampleNew() {
	ctx := context.Background()
	mail, err := app.New(app.Options{Store: memory.New().Open(), Expressions: jq.New(), Payloads: payload.New()})
	if err != nil {
		panic(err)
	}
	publish := func(ctx context.Context, m deliverinbox.Message) error {
		stored, err := mail.Publish(ctx, app.Message{Queue: m.Queue, Key: &m.Key, Dedupe: m.Dedupe, Payload: m.Payload})
		if err == nil {
			fmt.Println("item", stored.ID, "duplicate", stored.Duplicate)
		}
		return err
	}
	deliverer, err := deliverinbox.New("prompts", deliverinbox.PublisherFunc(publish))
	if err != nil {
		panic(err)
	}
	send := delivery.Send{
		Entry: outbox.Entry{ID: "ob_1", WorkspaceID: "web", SessionID: "ses", Text: "hello", AttemptNo: 1},
		Held:  func(context.Context) error { return nil },
	}
	for range 2 {
		fmt.Println(deliverer.Deliver(ctx, send))
		send.Entry.AttemptNo++
	}
	send.Entry.ID = "ob_2"
	send.Entry.Model = json.RawMessage(deep(app.MaxPayloadDepth))
	err = deliverer.Deliver(ctx, send)
	outcome, _ := outbox.OutcomeOf(err)
	fmt.Println(outcome == outbox.PointlessOutcome, domain.CodeOf(err) == domain.Payload)

	// Output:
	// item 1 duplicate false
	// <nil>
	// item 1 duplicate true
	// <nil>
	// true true
}

// deep is JSON of that many arrays.
func deep(n int) string {
	text := make([]byte, 2*n)
	for i := range n {
		text[i], text[n+i] = '[', ']'
	}
	return string(text)
}
