package deliveropencode

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

const (
	// hollowGap is how far apart two looks lie at least that prove a message to stay
	// without its text. The server has begun to store it, and may only be slow.
	hollowGap = 30 * time.Second
	// maxFirst bounds the first looks that are remembered.
	maxFirst = 4096
)

// Verifier finds out whether a message is in its session. It is safe for concurrent
// use.
//
// A message is absent when two verifications, far enough apart, do not find it in a
// session that is there. The first one is remembered here, on a clock that nobody
// sets, and forgotten with the process: another one begins anew.
type Verifier struct {
	server server
	now    func() time.Time

	mu    sync.Mutex
	first map[send]look
}

// send is one send of an entry.
type send struct {
	entryID string
	attempt int
	peerID  string
}

// look is a look at a message that was not there, or not whole.
type look struct {
	at   time.Time // when it ended
	seen sight
}

func _() delivery.Verifier { return (*Verifier)(nil) }

// NewVerifier makes a verifier that asks the server at an http or https address. One
// that holds a password or a query is refused, with code Invalid.
func NewVerifier(address string, options Options) (*Verifier, error) {
	s, err := newServer(address, options)
	if err != nil {
		return nil, err
	}
	return &Verifier{server: s, now: time.Now, first: make(map[send]look)}, nil
}

// Kind is "opencode".
func (*Verifier) Kind() string { return Kind }

// Verify asks for the message of the last send. It is delivered when the message is
// there with its text, and absent when it was not there in two calls at least
// outbox.AbsentGap apart, or was without its text in two that are 30 seconds apart,
// each time in a session that the server knows.
func (v *Verifier) Verify(ctx context.Context, entry outbox.Entry) (outbox.Verdict, error) {
	if !isMessageID(entry.PeerID) {
		return outbox.VerdictInconclusive, errors.New("the last send has no id of a message")
	}
	key := send{entry.ID, entry.AttemptNo, entry.PeerID}
	begun := v.now()
	seen, missing := v.server.look(ctx, entry.SessionID, entry.PeerID)
	switch seen {
	case stored:
		v.forget(key)
		return outbox.VerdictDelivered, nil
	case unseen:
		return outbox.VerdictInconclusive, missing
	}
	if err := v.server.lives(ctx, entry.SessionID); err != nil {
		return outbox.VerdictInconclusive, fmt.Errorf("%w, which proves nothing: %w", missing, err)
	}
	if v.again(key, seen, begun) {
		return outbox.VerdictAbsent, nil
	}
	return outbox.VerdictInconclusive, fmt.Errorf("%w, and is asked once more", missing)
}

// again tells whether a look that began at begun is the second one that proves
// absence; if not, it may become the first.
func (v *Verifier) again(key send, seen sight, begun time.Time) bool {
	gap := outbox.AbsentGap
	if seen == hollow {
		gap = hollowGap
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	before, ok := v.first[key]
	switch {
	case !ok || before.seen != seen:
		v.makeRoom()
		v.first[key] = look{v.now(), seen}
		return false
	case begun.Sub(before.at) < gap:
		return false
	}
	delete(v.first, key)
	return true
}

func (v *Verifier) forget(key send) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.first, key)
}

// makeRoom drops the oldest look when there are too many. Its send then needs
// another one.
func (v *Verifier) makeRoom() {
	if len(v.first) < maxFirst {
		return
	}
	var oldest send
	var at time.Time
	for key, l := range v.first {
		if at.IsZero() || l.at.Before(at) {
			oldest, at = key, l.at
		}
	}
	delete(v.first, oldest)
}
