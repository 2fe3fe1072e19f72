//go:build unix

package interop_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// bystanders publish and pull with processes of both builds until it is told to end.
type bystanders struct {
	*site

	wg     sync.WaitGroup
	mu     sync.Mutex
	stored []int64
	pulled []int64
}

// work starts publishers of so many items each, and one puller.
func (c *bystanders) work(publishers, items int) (wait func()) {
	ended := make(chan struct{})
	var puller sync.WaitGroup
	for p := range publishers {
		c.wg.Go(func() {
			for i := range items {
				n := id(c.t, c.ok(mixed(p+i), "publish", "q", fmt.Sprintf(`{"publisher":%d,"n":%d}`, p, i)))
				c.mu.Lock()
				c.stored = append(c.stored, n)
				c.mu.Unlock()
			}
		})
	}
	puller.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			default:
			}
			c.pulled = append(c.pulled, ids(c.t, c.ok(mixed(i), "pull", "s", "--as", "w", "--max-bytes", "4096"))...)
		}
	})
	return func() {
		c.wg.Wait()
		close(ended)
		puller.Wait()
		for {
			rest := ids(c.t, c.ok(mixed(0), "pull", "s", "--as", "w", "--max-bytes", "100000"))
			if len(rest) == 0 {
				return
			}
			c.pulled = append(c.pulled, rest...)
		}
	}
}

func newBystanders(t *testing.T) *bystanders {
	t.Helper()
	c := &bystanders{site: newSite(t)}
	c.private()
	c.ok(mixed(0), "subscribe", "s", "--as", "w", "--queue", "q")
	return c
}

// TestCARE2_OthersGoOn looks after a database in which others publish and pull:
// CARE-2, CARE-4, CARE-6 and CARE-7 hold up nobody, and nothing is lost.
func TestCARE2_OthersGoOn(t *testing.T) {
	c := newBystanders(t)
	wait := c.work(2, scale(8, 300))
	for i := range scale(4, 150) {
		b, file := mixed(i), fmt.Sprintf("%s/b%d.db", c.dir, i)
		c.ok(b, "publish", "junk", asJSON(strings.Repeat("x", 5000)))
		c.ok(b, "backup", file)
		if out := c.at(file).ok(mixed(i+1), "check"); out != "ok\n" {
			t.Errorf("the backup of the %s build: %q", b.name, out)
		}
		if out := c.ok(b, "purge", "junk", "--yes"); out != "purged junk: 1 item\n" {
			t.Errorf("purge of the %s build: %q", b.name, out)
		}
		c.ok(b, "vacuum")
		c.ok(b, "export", file+".ndjson")
	}
	wait()
	slices.Sort(c.stored)
	if !slices.Equal(c.pulled, c.stored) {
		t.Errorf("pulled %v, published %v", c.pulled, c.stored)
	}
	if out := c.ok(mixed(0), "check"); out != "ok\n" {
		t.Errorf("check: %q", out)
	}
}

// TestCARE3_OthersGoOn restores again and again under publishers and a puller. What
// they published may be gone, but no id comes twice, none of them fails, and what is
// left in the end is delivered.
func TestCARE3_OthersGoOn(t *testing.T) {
	c := newBystanders(t)
	b := mixed(0)
	c.ok(b, "publish", "old", `"before"`)
	c.ok(b, "backup", c.dir+"/b.db")
	wait := c.work(2, scale(8, 300))
	for i := range scale(3, 100) {
		r := c.run(mixed(i), "restore", c.dir+"/b.db")
		if r.code != 0 || r.stdout != "restored 1 item from "+c.dir+"/b.db\n" {
			t.Errorf("restore: %+v", r)
		}
	}
	wait()
	all := slices.Concat(c.stored, []int64{1})
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("OBJ-1: ids were given twice: %v", all)
	}
	left := c.ok(b, "list", "q", "--limit", "-1", "--jq", ".id")
	for line := range strings.Lines(left) {
		if n := id(t, line); !slices.Contains(c.pulled, n) {
			t.Errorf("item %d was not pulled", n)
		}
	}
	if out := c.ok(b, "check"); out != "ok\n" {
		t.Errorf("check: %q", out)
	}
}
