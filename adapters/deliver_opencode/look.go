package deliveropencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// lookTime bounds one look. A server that starts can leave its first requests
// without an answer for ever, so no look may wait for as long as there is.
const lookTime = 5 * time.Second

// sight is what a look at a message found.
type sight uint8

const (
	unseen sight = iota // nothing that proves anything
	stored              // the message, and a part of it
	hollow              // the message without its parts
	absent              // no such message
)

// look asks for the message of a send. The error says why nothing was seen, and
// what is missing of a hollow or absent one.
func (s server) look(ctx context.Context, session, id string) (sight, error) {
	a, err := s.ask(ctx, http.MethodGet, sessionPath(session)+"/message/"+url.PathEscape(id), nil, lookTime, always)
	if err != nil {
		return unseen, err
	}
	switch a.status {
	case http.StatusOK:
	case http.StatusNotFound:
		return absent, errors.New("opencode has no such message")
	default:
		return unseen, a.err()
	}
	var message struct {
		Info struct {
			ID string `json:"id"`
		} `json:"info"`
		Parts []json.RawMessage `json:"parts"`
	}
	switch err := json.Unmarshal(a.body, &message); {
	case err != nil || message.Info.ID != id:
		return unseen, errors.New("opencode answered with something else than the message")
	case len(message.Parts) == 0:
		return hollow, errors.New("opencode has the message without its text")
	}
	return stored, nil
}

// lives tells whether the server knows the session: nil if it does. Without that, a
// message that is not there proves nothing.
func (s server) lives(ctx context.Context, session string) error {
	a, err := s.ask(ctx, http.MethodGet, sessionPath(session), nil, lookTime, always)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK {
		return fmt.Errorf("the session: %w", a.err())
	}
	var known struct {
		ID string `json:"id"`
	}
	// A server that has no such route answers with the page of its web client.
	if json.Unmarshal(a.body, &known) != nil || known.ID != session {
		return errors.New("opencode answered with something else than the session")
	}
	return nil
}

func always() error { return nil }
