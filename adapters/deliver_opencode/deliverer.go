package deliveropencode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// Kind names this kind of deliverer.
const Kind = "opencode"

// Times of a send.
const (
	answerTime = 30 * time.Second // until the server says whether it takes the prompt
	seenTime   = 10 * time.Second // from there until the message is stored
	firstPause = 50 * time.Millisecond
	mostPause  = time.Second
)

// Deliverer sends entries as prompts to sessions of one server, and is the verifier
// of its sends too. It is safe for concurrent use.
type Deliverer struct {
	*Verifier
	ids      *sequence
	seenTime time.Duration
}

func _() delivery.Deliverer { return (*Deliverer)(nil) }

// New makes a deliverer for the server at an http or https address. One that holds
// a password or a query is refused, with code Invalid.
func New(address string, options Options) (*Deliverer, error) {
	verifier, err := NewVerifier(address, options)
	if err != nil {
		return nil, err
	}
	return &Deliverer{Verifier: verifier, ids: new(sequence), seenTime: seenTime}, nil
}

// PeerID makes the id of the message of a new send. One that is asked about or sent
// again under its number keeps the id that it has.
func (d *Deliverer) PeerID(entry outbox.Entry, now time.Time) string {
	if id := settled(entry); id != "" {
		return id
	}
	return messageID(d.ids.next(now), entry.ID)
}

// Deliver posts the prompt under the entry's PeerID and returns nil once the message
// is stored with its text. The lease is asked for right before the first byte
// leaves. When the server took the prompt but shows no message within ten seconds,
// or gave no answer within thirty, the outcome is ambiguous.
func (d *Deliverer) Deliver(ctx context.Context, send delivery.Send) error {
	entry := send.Entry
	body, err := prompt(entry)
	if err != nil {
		return err
	}
	held := func() error { return send.Held(ctx) }
	a, err := d.server.ask(ctx, http.MethodPost, sessionPath(entry.SessionID)+"/prompt_async", body, answerTime, held)
	if unsent := (*unsentError)(nil); errors.As(err, &unsent) {
		return outbox.Transient(fmt.Errorf("nothing was sent: %w", err))
	}
	if err != nil {
		return outbox.Ambiguous(err)
	}
	if err := a.taken(time.Now()); err != nil {
		return err
	}
	return d.await(ctx, entry)
}

// await looks for the message until it is there.
func (d *Deliverer) await(ctx context.Context, entry outbox.Entry) error {
	ctx, cancel := context.WithTimeout(ctx, d.seenTime)
	defer cancel()
	pause := time.NewTimer(0)
	defer pause.Stop()
	why := errors.New("it was not asked for the message")
	for wait := firstPause; ; wait = min(wait*3/2, mostPause) {
		select {
		case <-ctx.Done():
			return outbox.Ambiguous(fmt.Errorf("opencode took the prompt, but did not show it: %w", why))
		case <-pause.C:
		}
		seen, err := d.server.look(ctx, entry.SessionID, entry.PeerID)
		if seen == stored {
			return nil
		}
		if ctx.Err() == nil { // else the look was cut short, and the one before says more
			why = err
		}
		pause.Reset(wait)
	}
}

// prompt is the body of the request, or an error that keeps the entry from being
// sent.
func prompt(entry outbox.Entry) ([]byte, error) {
	if !isMessageID(entry.PeerID) {
		return nil, errors.New("the send was staged without the id of its message")
	}
	if !strings.HasPrefix(entry.SessionID, sessionPrefix) {
		return nil, outbox.Pointless(fmt.Errorf("the session %q is none of opencode's", domain.Shorten(entry.SessionID)))
	}
	model, err := modelOf(entry.Model)
	if err != nil {
		return nil, err
	}
	type part struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Text string `json:"text"`
	}
	body, err := json.Marshal(struct {
		MessageID string          `json:"messageID"`
		Model     json.RawMessage `json:"model,omitempty"`
		Parts     []part          `json:"parts"`
	}{entry.PeerID, model, []part{{partID(entry.PeerID), "text", entry.Text}}})
	if err != nil {
		return nil, outbox.Pointless(fmt.Errorf("the prompt cannot be written as JSON: %w", err))
	}
	return body, nil
}

// modelOf is the model in the form that the server takes; nil for its own choice.
func modelOf(model json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(model)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return nil, nil
	}
	if trimmed[0] == '{' {
		return trimmed, nil
	}
	var name string
	if json.Unmarshal(trimmed, &name) == nil {
		if provider, id, ok := strings.Cut(name, "/"); ok && provider != "" && id != "" {
			return json.Marshal(map[string]string{"providerID": provider, "modelID": id})
		}
	}
	return nil, outbox.Pointless(fmt.Errorf(`the model %s is not of the form "PROVIDER/MODEL" or {"providerID": …, "modelID": …}`,
		domain.Shorten(string(trimmed))))
}
