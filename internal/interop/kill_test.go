//go:build unix

package interop_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// massacre runs processes of both builds on one database and kills most of them
// at a random moment of their life.
type massacre struct {
	*site

	mu     sync.Mutex
	span   time.Duration    // within which the axe falls
	acked  map[int64]string // what publishers printed: payload by id
	killed int              // of them, before they ended by themselves
}

// run runs cmd, which may be killed, and returns what it printed and whether it
// ended by itself.
func (m *massacre) run(cmd *exec.Cmd) (string, bool) {
	m.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		m.t.Error(err)
		return "", false
	}
	axe := time.AfterFunc(m.delay(), func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	axe.Stop()
	if m.fell(cmd.ProcessState.ExitCode() == -1) {
		return stdout.String(), false
	}
	if err != nil || stderr.Len() > 0 {
		m.t.Errorf("%s: %v, stderr %q", strings.Join(cmd.Args[5:], " "), err, stderr.String())
	}
	return stdout.String(), true
}

func (m *massacre) delay() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return rand.N(m.span)
}

// fell notes whether the axe fell in time, and moves the span so that it does
// for about half of the processes, however fast the machine is.
func (m *massacre) fell(killed bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if killed {
		m.killed++
		m.span += m.span / 8
	} else {
		m.span -= m.span / 8
	}
	return killed
}

// more tells whether another process shall be killed.
func (m *massacre) more() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.killed < scale(40, 200)
}

// publish runs one publisher of n items, and notes what it printed: that much is
// promised, even if it was killed (PUB-2).
func (m *massacre) publish(b binary, payloads []string) {
	m.t.Helper()
	cmd := m.command(b, "publish", "q", "--lines")
	if len(payloads) == 1 {
		cmd = m.command(b, "publish", "q", payloads[0])
	} else {
		cmd.Stdin = strings.NewReader(strings.Join(payloads, "\n"))
	}
	out, _ := m.run(cmd)
	if n := strings.LastIndexByte(out, '\n'); n >= 0 {
		for i, line := range strings.Split(out[:n], "\n") {
			m.mu.Lock()
			m.acked[id(m.t, line)] = payloads[i]
			m.mu.Unlock()
		}
	}
}

// delivery is what one subscriber saw.
type delivery struct {
	certain   []int64 // printed by pulls that ended by themselves
	uncertain []int64 // printed by pulls that were killed
}

// pull runs one pull that may be killed.
func (m *massacre) pull(b binary, name, who string, seen *delivery) {
	m.t.Helper()
	out, ended := m.run(m.command(b, "pull", name, "--as", who))
	if ended {
		seen.certain = append(seen.certain, ids(m.t, out)...)
	} else if strings.HasSuffix(out, "\n") {
		seen.uncertain = append(seen.uncertain, ids(m.t, out)...)
	}
}

// TestSTO4_KillNine kills publishing and pulling processes at random moments.
func TestSTO4_KillNine(t *testing.T) {
	s := newSite(t)
	s.configure("format: 1\nqueues: {q: {max_items: 10000000}}\n")
	m := &massacre{site: s, acked: map[int64]string{}, span: 50 * time.Millisecond}
	s.ok(mixed(0), "subscribe", "all", "--as", "a", "--queue", "q")
	s.ok(mixed(1), "subscribe", "one", "--as", "o", "--queue", "q", "--share", "one")
	all, one := m.rounds()
	for i, seen := range []*delivery{all, one} {
		name, who := []string{"all", "one"}[i], []string{"a", "o"}[i]
		for {
			rest := ids(t, s.ok(mixed(i), "pull", name, "--as", who, "--max-bytes", "1000000"))
			if len(rest) == 0 {
				break
			}
			seen.certain = append(seen.certain, rest...)
		}
	}
	m.verify(map[string]*delivery{"share all": all, "share one": one})
}

// rounds runs until enough processes were killed.
func (m *massacre) rounds() (all, one *delivery) {
	all, one = &delivery{}, &delivery{}
	var group sync.WaitGroup
	for i := range 2 {
		group.Go(func() {
			for n := 0; m.more(); n++ {
				size := 1
				if n%4 == 3 {
					size = 1200 // three commits
				}
				payloads := make([]string, size)
				for k := range payloads {
					payloads[k] = fmt.Sprintf(`{"publisher":%d,"n":%d,"line":%d}`, i, n, k)
				}
				m.publish(mixed(i+n), payloads)
			}
		})
	}
	group.Go(func() {
		for n := 0; m.more(); n++ {
			m.pull(mixed(n), "all", "a", all)
		}
	})
	group.Go(func() {
		for n := 1; m.more(); n++ {
			m.pull(mixed(n), "one", "o", one)
		}
	})
	group.Wait()
	return all, one
}

// verify checks the database, and everything that was promised.
func (m *massacre) verify(seen map[string]*delivery) {
	m.t.Helper()
	for _, b := range binaries {
		if out := m.ok(b, "check"); out != "ok\n" {
			m.t.Errorf("check of the %s build printed %q", b.name, out)
		}
	}
	there := m.list(mixed(0), "q")
	payload := map[int64]string{}
	for _, item := range there {
		payload[item.ID] = string(item.Payload)
	}
	for id, want := range m.acked {
		if payload[id] != want {
			m.t.Errorf("item %d was acknowledged as %s and is now %q", id, want, payload[id])
		}
	}
	for who, d := range seen {
		m.atLeastOnce(who, d, there)
	}
	if len(m.acked) == 0 {
		m.t.Error("nothing was acknowledged")
	}
	m.t.Logf("%d processes killed, %d items acknowledged, %d stored", m.killed, len(m.acked), len(there))
}

// atLeastOnce: nothing is skipped, and only what a killed pull printed may have
// been printed twice.
func (m *massacre) atLeastOnce(who string, d *delivery, there []stored) {
	m.t.Helper()
	if !slices.IsSorted(d.certain) {
		m.t.Errorf("%s: items came out of order", who)
	}
	times := map[int64]int{}
	for _, id := range d.certain {
		times[id]++
		if times[id] > 1 {
			m.t.Errorf("%s: item %d was delivered %d times by pulls that ended well", who, id, times[id])
		}
	}
	for _, id := range d.uncertain {
		times[id]++
	}
	var skipped []string
	for _, item := range there {
		if times[item.ID] == 0 {
			skipped = append(skipped, strconv.FormatInt(item.ID, 10))
		}
	}
	if len(skipped) > 0 {
		m.t.Errorf("%s: %d items were never printed: %s", who, len(skipped), strings.Join(skipped[:min(20, len(skipped))], " "))
	}
}
