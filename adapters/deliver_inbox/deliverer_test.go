package deliverinbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

func sample() outbox.Entry {
	return outbox.Entry{
		ID: "ob_1", WorkspaceID: "ws", SessionID: "ses", Text: "hello",
		AcceptedAt: time.UnixMilli(1_700_000_000_123).UTC(), Status: outbox.StatusDelivering, AttemptNo: 3,
	}
}

func held(err error) delivery.Send {
	return delivery.Send{Entry: sample(), Held: func(context.Context) error { return err }}
}

// OUT-15: the message is the entry, under its id.
func TestOUT15_TheMessageIsTheEntry(t *testing.T) {
	payload, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	var got []Message
	d, err := New("mail", PublisherFunc(func(_ context.Context, m Message) error { got = append(got, m); return nil }))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Deliver(t.Context(), held(nil)); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Queue != "mail" || got[0].Key != "ses" || got[0].Dedupe != "ob_1" || string(got[0].Payload) != string(payload) {
		t.Errorf("published is %q", got)
	}
	if d.Kind() != Kind || d.PeerID(sample(), time.Now()) != "" {
		t.Errorf("kind %q, peer id %q", d.Kind(), d.PeerID(sample(), time.Now()))
	}
}

// OUT-15, OUT-4: nothing is published without the lease.
func TestOUT15_NothingIsPublishedWithoutTheLease(t *testing.T) {
	d, err := New("mail", PublisherFunc(func(context.Context, Message) error { t.Error("published"); return nil }))
	if err != nil {
		t.Fatal(err)
	}
	err = d.Deliver(t.Context(), held(outbox.ErrLeaseLost))
	if outcome, _ := outbox.OutcomeOf(err); outcome != outbox.TransientOutcome || !errors.Is(err, outbox.ErrLeaseLost) {
		t.Errorf("outcome %d: %v", outcome, err)
	}
}

// OUT-15: what is wrong with the message is pointless to repeat, what is wrong
// with the database is not, and nothing is ambiguous.
func TestOUT15_Failures(t *testing.T) {
	want := map[error]outbox.Outcome{errors.New("unclassed"): outbox.TransientOutcome, context.DeadlineExceeded: outbox.TransientOutcome}
	for code := domain.Internal; code <= domain.IO; code++ {
		err := &domain.Error{Code: code, Text: fmt.Sprintf("code %d", code)}
		switch code {
		case domain.Invalid, domain.NotFound, domain.Payload, domain.Expression:
			want[err] = outbox.PointlessOutcome
		default:
			want[err] = outbox.TransientOutcome
		}
	}
	for cause, outcome := range want {
		d, err := New("mail", PublisherFunc(func(context.Context, Message) error { return cause }))
		if err != nil {
			t.Fatal(err)
		}
		err = d.Deliver(t.Context(), held(nil))
		if got, _ := outbox.OutcomeOf(err); got != outcome || !errors.Is(err, cause) {
			t.Errorf("%v: outcome %d, want %d: %v", cause, got, outcome, err)
		}
	}
}

// OUT-15: a queue's name is checked when the deliverer is made.
func TestOUT15_QueueNames(t *testing.T) {
	for _, queue := range []string{"", "a\nb", "\xff"} {
		if _, err := New(queue, nil); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("%q: %v", queue, err)
		}
	}
}
