package outbox_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/app/outbox"
)

// A program accepts a prompt and, here in the same process, delivers it.
func Example() {
	ctx := context.Background()
	service, err := outbox.New(outbox.Options{
		Store: memory.New().Open(),
		OnDelivered: func(_ context.Context, e outbox.Entry) error {
			fmt.Println("delivered by send", e.AttemptNo)
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := service.Accept(ctx, "web", "ses_1", "ann", "chat-17", "run the tests again", nil); err != nil {
		fmt.Println(err)
		return
	}
	_, err = service.Accept(ctx, "web", "ses_1", "ann", "chat-17", "run the tests again", nil)
	var duplicate *outbox.Duplicate
	fmt.Println("known already:", errors.As(err, &duplicate))

	send := func(_ context.Context, workspace, session string, e outbox.Entry) error {
		fmt.Printf("%s/%s: %s\n", workspace, session, e.Text)
		return nil // or outbox.Ambiguous(err), outbox.Transient(err), …
	}
	if _, err := service.RunOnce(ctx, send); err != nil { // a worker calls Run
		fmt.Println(err)
	}
	// Output:
	// known already: true
	// web/ses_1: run the tests again
	// delivered by send 1
}
