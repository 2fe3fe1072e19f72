package deliveropencode

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// judge is a verifier whose clock the test moves.
type judge struct {
	*Verifier
	t    *testing.T
	peer *peer

	mu  sync.Mutex
	now time.Time
}

func newJudge(t *testing.T) *judge {
	j := &judge{t: t, peer: startPeer(t, httptest.NewServer), now: time.Now()}
	v, err := NewVerifier(j.peer.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	v.now = func() time.Time { j.mu.Lock(); defer j.mu.Unlock(); return j.now }
	j.Verifier = v
	return j
}

// after lets time pass and checks what a verification comes to then. One that
// proves nothing says why.
func (j *judge) after(d time.Duration, entry outbox.Entry, want outbox.Verdict) {
	j.t.Helper()
	j.mu.Lock()
	j.now = j.now.Add(d)
	j.mu.Unlock()
	got, err := j.Verify(j.t.Context(), entry)
	if got != want || (err == nil) != (want != outbox.VerdictInconclusive) {
		j.t.Errorf("verdict %d (%v), want %d", got, err, want)
	}
}

const (
	unclear   = outbox.VerdictInconclusive
	isThere   = outbox.VerdictDelivered
	isNot     = outbox.VerdictAbsent
	almostGap = outbox.AbsentGap - time.Millisecond
)

func TestOUT15_VerdictDelivered(t *testing.T) {
	j := newJudge(t)
	j.after(0, anEntry(), isThere)
	j.peer.message = []page{missing(), whole(theMessage)}
	j.after(0, anEntry(), unclear)
	j.after(time.Minute, anEntry(), isThere)
	if n := len(j.first); n != 0 {
		t.Errorf("%d looks are still remembered", n)
	}
}

func TestOUT15_VerdictAbsent(t *testing.T) {
	j := newJudge(t)
	j.peer.message = []page{missing()}
	j.after(0, anEntry(), unclear)
	j.after(almostGap, anEntry(), unclear)
	j.after(time.Millisecond, anEntry(), isNot)
	j.after(0, anEntry(), unclear) // a verdict that was not stored is found anew
	j.after(outbox.AbsentGap, anEntry(), isNot)
}

// The gap lies between the end of the first look and the begin of the second.
func TestOUT15_SlowLooksAreNoGap(t *testing.T) {
	j := newJudge(t)
	j.peer.message = []page{missing()}
	ticking := j.Verifier.now
	j.Verifier.now = func() time.Time {
		j.mu.Lock()
		j.now = j.now.Add(outbox.AbsentGap) // each look takes as long
		j.mu.Unlock()
		return ticking()
	}
	j.after(-outbox.AbsentGap, anEntry(), unclear)
	j.after(-outbox.AbsentGap, anEntry(), unclear)
	j.after(0, anEntry(), isNot)
}

// One send says nothing about another, nor one process about the next.
func TestOUT15_LooksBelongToOneSend(t *testing.T) {
	j := newJudge(t)
	j.peer.message = []page{missing()}
	entry := anEntry()
	j.after(0, entry, unclear)
	entry.AttemptNo, entry.PeerID = 2, "msg_22f2b0caf0054a1b2c3d4e5f60"
	j.after(time.Minute, entry, unclear)
	entry.ID = "ob_other"
	j.after(time.Minute, entry, unclear)
	j.first = make(map[send]look)
	j.after(time.Minute, anEntry(), unclear)
	j.after(time.Minute, anEntry(), isNot)
}

func TestOUT15_NothingProven(t *testing.T) {
	for name, change := range map[string]func(*peer){
		"no session":       func(p *peer) { p.session = []page{{404, `{}`}} },
		"session fails":    func(p *peer) { p.session = []page{{500, `{}`}} },
		"another session":  func(p *peer) { p.session = []page{{200, `{"id":"ses_2"}`}} },
		"a page":           func(p *peer) { p.session = []page{{200, `<html>`}} },
		"refused":          func(p *peer) { p.message = []page{{401, ``}} },
		"fails":            func(p *peer) { p.message = []page{{503, ``}} },
		"moved":            func(p *peer) { p.message = []page{{302, ``}} },
		"another message":  func(p *peer) { p.message = []page{whole("msg_x")} },
		"torn":             func(p *peer) { p.message = []page{{200, `{"info":{"id":"` + theMessage}} },
		"no body":          func(p *peer) { p.message = []page{{200, ``}} },
		"an empty message": func(p *peer) { p.message = []page{{204, ``}} },
		"gone":             func(p *peer) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			j := newJudge(t)
			j.peer.message = []page{missing()}
			change(j.peer)
			j.after(0, anEntry(), unclear)
			j.after(time.Hour, anEntry(), unclear)
		})
	}
	j := newJudge(t)
	entry := anEntry()
	entry.PeerID = ""
	j.after(0, entry, unclear)
	if n := len(j.peer.seen); n != 0 {
		t.Errorf("%d requests for a send without an id", n)
	}
}

// A server that cannot be asked for a while takes nothing back.
func TestOUT15_FirstLookOutlivesOutage(t *testing.T) {
	j := newJudge(t)
	j.peer.message = []page{missing(), {502, ""}, missing()}
	j.after(0, anEntry(), unclear)
	j.after(time.Second, anEntry(), unclear)
	j.after(2*time.Second, anEntry(), isNot)
}

// A message without its text is no delivery: the server that stored it may be
// about to store the text, or have died before.
func TestOUT15_HollowMessage(t *testing.T) {
	j := newJudge(t)
	j.peer.message = []page{missing(), bare(theMessage)}
	j.after(0, anEntry(), unclear)
	j.after(time.Hour, anEntry(), unclear) // the first look of this kind
	j.after(hollowGap-time.Millisecond, anEntry(), unclear)
	j.after(time.Millisecond, anEntry(), isNot)
	j.after(0, anEntry(), unclear)
	j.peer.message = []page{whole(theMessage)}
	j.after(0, anEntry(), isThere)
}

func TestOUT15_FirstLooksAreBounded(t *testing.T) {
	j := newJudge(t)
	for i := range maxFirst + 10 {
		if j.again(send{entryID: fmt.Sprint(i)}, absent, j.now) {
			t.Fatal("a first look proved something")
		}
		j.now = j.now.Add(time.Millisecond)
	}
	if len(j.first) != maxFirst {
		t.Errorf("%d looks are remembered", len(j.first))
	}
	late := j.now.Add(outbox.AbsentGap)
	if !j.again(send{entryID: fmt.Sprint(maxFirst)}, absent, late) {
		t.Error("a young look was forgotten")
	}
	if j.again(send{entryID: "0"}, absent, late) {
		t.Error("the oldest look was kept")
	}
}

func TestOUT15_VerifierIsShared(t *testing.T) {
	j := newJudge(t)
	j.peer.message = []page{missing()}
	var verifying sync.WaitGroup
	for i := range 8 {
		verifying.Go(func() {
			entry := anEntry()
			entry.ID = fmt.Sprint("ob_", i%4)
			if verdict, err := j.Verify(t.Context(), entry); verdict != unclear || err == nil {
				t.Errorf("verdict %d (%v) without any gap", verdict, err)
			}
		})
	}
	verifying.Wait()
	if j.Kind() != "opencode" || mustDeliverer(t, "http://localhost:1", Options{}).Kind() != j.Kind() {
		t.Error("a verifier judges the sends of its own kind")
	}
}
