//go:build unix

package interop_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	publishers = 16
	pullers    = 8
)

// crowd is many publishers and pullers of both builds on one database.
type crowd struct {
	*site
	mu        sync.Mutex
	published map[int64]string  // payload by id
	got       map[int][]printed // by puller, in the order of its pulls
}

func newCrowd(t *testing.T) *crowd {
	s := newSite(t)
	s.configure("format: 1\nqueues: {q: {max_items: 1000000}}\n")
	return &crowd{site: s, published: map[int64]string{}, got: map[int][]printed{}}
}

// work lets everyone run one process after the other until the time is over and
// every puller has got something; pull is one turn of a puller. Nothing waits
// for nothing: what is slow is the machine's.
func (c *crowd) work(pull func(i int) []printed) {
	end := time.Now().Add(scale(1500*time.Millisecond, 5*time.Second))
	last := end.Add(patience)
	busy := func() bool {
		now := time.Now()
		return now.Before(end) || !c.allServed() && now.Before(last)
	}
	var group sync.WaitGroup
	for i := range publishers {
		group.Go(func() {
			for n := 0; busy(); n++ {
				payload := fmt.Sprintf(`{"publisher":%d,"n":%d}`, i, n)
				c.note(id(c.t, c.ok(mixed(i), "publish", "q", payload)), payload)
			}
		})
	}
	for i := range pullers {
		group.Go(func() {
			for busy() {
				c.take(i, pull(i))
			}
		})
	}
	group.Wait()
	for {
		rest := pull(0)
		if len(rest) == 0 {
			return
		}
		c.take(0, rest)
	}
}

func (c *crowd) note(id int64, payload string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.published[id] = payload
}

func (c *crowd) take(i int, items []printed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got[i] = append(c.got[i], items...)
}

func (c *crowd) allServed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got) == pullers && !slices.ContainsFunc(slices.Collect(maps.Values(c.got)), func(items []printed) bool { return len(items) == 0 })
}

// pull is one process; the items are those that it printed.
func (c *crowd) pull(i int, name string) []printed {
	c.t.Helper()
	batches := parsePull(c.t, c.ok(mixed(i), "pull", name, "--as", fmt.Sprintf("w%d", i)))
	if len(batches) == 0 {
		return nil
	}
	b := batches[0]
	for _, count := range []string{"errors", "dropped", "parked"} {
		if b.counts[count] != 0 {
			c.t.Errorf("lost something: %s", b.status)
		}
	}
	return b.items
}

// bind makes the subscription and all its pullers.
func (c *crowd) bind(name string, rules ...string) {
	c.t.Helper()
	c.ok(mixed(0), append([]string{"subscribe", name, "--as", "w0", "--queue", "q"}, rules...)...)
	for i := 1; i < pullers; i++ {
		c.ok(mixed(i), "subscribe", name, "--as", fmt.Sprintf("w%d", i))
	}
}

// exactlyOnce checks items against all that was published.
func (c *crowd) exactlyOnce(who string, items []printed) {
	c.t.Helper()
	times := map[int64]int{}
	for _, item := range items {
		times[item.id]++
		if item.text != c.published[item.id] {
			c.t.Errorf("%s got item %d as %q, published as %q", who, item.id, item.text, c.published[item.id])
		}
	}
	for id := range c.published {
		if times[id] != 1 {
			c.t.Errorf("%s got item %d %d times", who, id, times[id])
		}
	}
	if len(c.published) == 0 {
		c.t.Error("nothing was published")
	}
}

func (c *crowd) everyPullerServed() {
	c.t.Helper()
	for i := range pullers {
		if len(c.got[i]) == 0 {
			c.t.Errorf("puller %d got nothing", i)
		}
	}
	c.t.Logf("%d items published", len(c.published))
	if out := c.ok(mixed(0), "check"); out != "ok\n" {
		c.t.Errorf("check printed %q", out)
	}
}

func (c *crowd) all() []printed {
	var all []printed
	for _, items := range c.got {
		all = append(all, items...)
	}
	return all
}

// STO-8, STO-9, PULL-5: under share one with on-read, each item goes to exactly
// one of eight pullers.
func TestSTO8_ShareOneOnReadIsExactlyOnce(t *testing.T) {
	c := newCrowd(t)
	c.bind("s", "--share", "one", "--limit", "3")
	c.work(func(i int) []printed { return c.pull(i, "s") })
	c.everyPullerServed()
	c.exactlyOnce("everyone together", c.all())
}

// STO-8, STO-9, PULL-5, ACK-1: with on-ack, nobody meets a claim of another on
// what was leased to it, and in the end all is acked.
func TestSTO8_ShareOneOnAckIsExactlyOnce(t *testing.T) {
	c := newCrowd(t)
	c.bind("s", "--share", "one", "--consume", "on-ack", "--limit", "4", "--lease", "1h")
	c.work(func(i int) []printed {
		items := c.pull(i, "s")
		for _, item := range items {
			id := strconv.FormatInt(item.id, 10)
			if out := c.ok(mixed(i+1), "ack", id, "--as", fmt.Sprintf("w%d", i)); out != "acked "+id+"\n" {
				c.t.Errorf("ack %s printed %q", id, out)
			}
		}
		return items
	})
	c.everyPullerServed()
	c.exactlyOnce("everyone together", c.all())
	if left := c.list(mixed(0), "q", "--unacked", "--subscription", "s"); len(left) != 0 {
		t.Errorf("%d items are not acked", len(left))
	}
}

// STO-8, STO-9, PULL-5: under share all every puller gets every item once, in
// the order of the ids.
func TestSTO8_ShareAllGivesEverythingToEveryone(t *testing.T) {
	c := newCrowd(t)
	c.bind("s")
	c.work(func(i int) []printed { return c.pull(i, "s") })
	c.everyPullerServed()
	for i := range pullers {
		for rest := c.pull(i, "s"); len(rest) > 0; rest = c.pull(i, "s") {
			c.take(i, rest)
		}
		who := fmt.Sprintf("puller %d", i)
		c.exactlyOnce(who, c.got[i])
		if !slices.IsSortedFunc(c.got[i], func(a, b printed) int { return int(a.id - b.id) }) {
			t.Errorf("%s got items out of order", who)
		}
	}
}
