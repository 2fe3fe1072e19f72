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

	mu      sync.Mutex
	span    time.Duration    // within which the axe falls
	stored  map[int64]string // what publishers printed: payload by id
	acked   map[int64]bool   // what ackers printed
	started int              // processes that could have been killed
	killed  int              // of them, before they ended by themselves
	checked int              // how many had been killed at the last check
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
	m.started++
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
	return m.killed < scale(40, 2000)
}

// inspect checks the database, with everyone at work on it, once some more were
// killed.
func (m *massacre) inspect(b binary) {
	m.t.Helper()
	m.mu.Lock()
	due := m.killed >= m.checked+10
	if due {
		m.checked = m.killed
	}
	m.mu.Unlock()
	if due {
		if out := m.ok(b, "check"); out != "ok\n" {
			m.t.Errorf("check of the %s build printed %q", b.name, out)
		}
	}
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
			m.stored[id(m.t, line)] = payloads[i]
			m.mu.Unlock()
		}
	}
}

// delivery is what one subscriber saw.
type delivery struct {
	certain   []int64 // printed by pulls that ended by themselves
	uncertain []int64 // printed by pulls that were killed
}

// pull runs one pull that may be killed, and returns what one that was not has
// printed.
func (m *massacre) pull(b binary, name, who string, seen *delivery) []int64 {
	m.t.Helper()
	out, ended := m.run(m.command(b, "pull", name, "--as", who))
	var got []int64
	if ended {
		got = ids(m.t, out)
		seen.certain = append(seen.certain, got...)
	} else if strings.HasSuffix(out, "\n") {
		seen.uncertain = append(seen.uncertain, ids(m.t, out)...)
	}
	return got
}

// ack runs one ack that may be killed. What it printed is promised (ACK-1).
func (m *massacre) ack(b binary, item int64) {
	m.t.Helper()
	number := strconv.FormatInt(item, 10)
	out, ended := m.run(m.command(b, "ack", number, "--as", "k", "--subscription", "work"))
	if out == "acked "+number+"\n" {
		m.mu.Lock()
		m.acked[item] = true
		m.mu.Unlock()
	} else if ended || out != "" {
		m.t.Errorf("ack %s printed %q", number, out)
	}
}

// TestSTO4_KillNine kills publishing, pulling and acking processes at random
// moments.
func TestSTO4_KillNine(t *testing.T) {
	s := newSite(t)
	s.configure("format: 1\nqueues: {q: {max_items: 10000000}}\n")
	m := &massacre{site: s, stored: map[int64]string{}, acked: map[int64]bool{}, span: 50 * time.Millisecond}
	s.ok(mixed(0), "subscribe", "all", "--as", "a", "--queue", "q")
	s.ok(mixed(1), "subscribe", "one", "--as", "o", "--queue", "q", "--share", "one")
	s.ok(mixed(0), "subscribe", "work", "--as", "k", "--queue", "q", "--share", "one", "--consume", "on-ack", "--lease", "10h")
	all, one, work := m.rounds()
	for i, seen := range []*delivery{all, one, work} {
		name, who := []string{"all", "one", "work"}[i], []string{"a", "o", "k"}[i]
		for {
			rest := ids(t, s.ok(mixed(i), "pull", name, "--as", who, "--max-bytes", "1000000"))
			if len(rest) == 0 {
				break
			}
			seen.certain = append(seen.certain, rest...)
		}
	}
	m.verify(map[string]*delivery{"share all": all, "share one": one, "on-ack": work})
}

// rounds runs until enough processes were killed.
func (m *massacre) rounds() (all, one, work *delivery) {
	all, one, work = &delivery{}, &delivery{}, &delivery{}
	var group sync.WaitGroup
	for i := range 2 {
		group.Go(func() {
			for n := 0; m.more(); n++ {
				size := 1
				if n%scale(4, 16) == 3 {
					size = 1200 // three commits
				}
				payloads := make([]string, size)
				for k := range payloads {
					payloads[k] = fmt.Sprintf(`{"publisher":%d,"n":%d,"line":%d}`, i, n, k)
				}
				m.publish(mixed(i+n), payloads)
				m.inspect(mixed(i + n + 1))
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
	group.Go(func() {
		for n := 0; m.more(); n++ {
			for _, item := range m.pull(mixed(n), "work", "k", work) {
				if m.more() {
					m.ack(mixed(n+int(item)), item)
				}
			}
		}
	})
	group.Wait()
	return all, one, work
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
	for id, want := range m.stored {
		if payload[id] != want {
			m.t.Errorf("item %d was acknowledged as %s and is now %q", id, want, payload[id])
		}
	}
	for _, item := range m.list(mixed(1), "q", "--unacked", "--subscription", "work") {
		if m.acked[item.ID] {
			m.t.Errorf("the ack of item %d was answered and is lost", item.ID)
		}
	}
	repeats := 0
	for who, d := range seen {
		repeats += m.atLeastOnce(who, d, there)
	}
	if len(m.stored) == 0 || len(m.acked) == 0 {
		m.t.Errorf("%d items and %d acks were acknowledged", len(m.stored), len(m.acked))
	}
	m.t.Logf("%d of %d processes killed, %d items acknowledged, %d stored, %d acks, %d printed again after a kill",
		m.killed, m.started, len(m.stored), len(there), len(m.acked), repeats)
}

// atLeastOnce: nothing is skipped, and only what a killed pull printed may have
// been printed twice; how much of it was is returned.
func (m *massacre) atLeastOnce(who string, d *delivery, there []stored) (repeats int) {
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
		if times[id]++; times[id] > 1 {
			repeats++
		}
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
	return repeats
}
