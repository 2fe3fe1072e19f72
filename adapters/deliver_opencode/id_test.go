package deliveropencode

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

func TestOUT15_MessageID(t *testing.T) {
	d := mustDeliverer(t, "http://localhost:1", Options{})
	entry := outbox.Entry{ID: theEntry, Status: outbox.StatusPending, AttemptNo: 1}
	at := time.UnixMilli(1796087571)
	want := fmt.Sprintf("msg_%012x", uint64(1796087571)*4096) + "4a1b2c3d4e5f60"
	if got := d.PeerID(entry, at); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// At 1796087575835 the server made msg_22f29751b001…, its first of that millisecond.
	if got := d.PeerID(entry, time.UnixMilli(1796087575835)); got != "msg_22f29751b0004a1b2c3d4e5f60" {
		t.Errorf("%s does not lie beside the server's own", got)
	}
	for id, want := range map[string]string{"ob_1": "00000000000ob1", "": "00000000000000", "a-b_cé…0123456789xyz": "c0123456789xyz"} {
		if got := tail(id); got != want {
			t.Errorf("tail of %q: %s, want %s", id, got, want)
		}
	}
}

// Ids of one process grow, whatever the clock does in small.
func TestOUT15_MessageIDsGrow(t *testing.T) {
	now := time.Now()
	var s sequence
	last := s.next(now)
	for i, step := range []time.Duration{
		0, 0, 0, time.Millisecond, -time.Millisecond, -time.Second, 0, -30 * time.Second, time.Nanosecond, 31 * time.Second, time.Hour,
	} {
		now = now.Add(step)
		n := s.next(now)
		if n <= last {
			t.Fatalf("step %d: %d is not above %d", i, n, last)
		}
		if n > uint64(now.Add(time.Minute).UnixMilli())*perMilli {
			t.Fatalf("step %d: %d is too far ahead of the clock", i, n)
		}
		last = n
	}
	back := now.Add(-time.Hour)
	if n := s.next(back); n != uint64(back.UnixMilli())*perMilli {
		t.Errorf("after an hour back: %d does not follow the clock", n)
	}
	for range perMilli + 10 { // more than a millisecond holds
		last = s.next(back)
	}
	if last <= uint64(back.Add(time.Millisecond).UnixMilli())*perMilli {
		t.Errorf("%d: ids of one millisecond did not go on into the next", last)
	}
}

func TestOUT15_MessageIDsDiffer(t *testing.T) {
	d := mustDeliverer(t, "http://localhost:1", Options{})
	entry, now := outbox.Entry{ID: theEntry, Status: outbox.StatusPending}, time.Now()
	var mu sync.Mutex
	var all []string
	var making sync.WaitGroup
	for range 8 {
		making.Go(func() {
			for range 200 {
				id := d.PeerID(entry, now)
				mu.Lock()
				all = append(all, id)
				mu.Unlock()
			}
		})
	}
	making.Wait()
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 1600 {
		t.Errorf("%d different ids of 1600", n)
	}
}

// One send has one id, however often it is begun; the next send has another.
func TestOUT15_OneIDForOneSend(t *testing.T) {
	d := mustDeliverer(t, "http://localhost:1", Options{})
	now := time.Now()
	entry := outbox.Entry{ID: theEntry, Status: outbox.StatusPending, AttemptNo: 1}
	first := d.PeerID(entry, now)
	entry.Deliverer, entry.PeerID = Kind, first
	for _, status := range []string{outbox.StatusDelivering, outbox.StatusVerifying} {
		entry.Status = status
		if again := d.PeerID(entry, now.Add(time.Hour)); again != first {
			t.Errorf("%s: the id of the same send became %s, it was %s", status, again, first)
		}
	}
	entry.Status, entry.AttemptNo = outbox.StatusPending, 2
	if next := d.PeerID(entry, now.Add(time.Hour)); next <= first {
		t.Errorf("the id of the second send is %s, the first had %s", next, first)
	}
	// What another kind of deliverer called the send is none of ours.
	entry.Status, entry.Deliverer = outbox.StatusVerifying, "exec"
	if id := d.PeerID(entry, now.Add(time.Hour)); id == first {
		t.Error("an id of another kind of deliverer was kept")
	}
	entry.Deliverer, entry.PeerID = Kind, "1234 5678"
	if id := d.PeerID(entry, now); !isMessageID(id) {
		t.Errorf("%q is no id of a message", id)
	}
}
