//go:build unix

package hosts_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// deliver publishes a mail. The model calls it, too, which is no test.
func (r *run) deliver(mail string) {
	id, err := r.try(r.env, append([]string{filepath.Join(r.bin, "tundish")}, r.line("publish", queue, compact(object{"note": mail}))[1:]...)...)
	if err != nil {
		r.t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[mail] = id
}

// judge says what is wrong after a session: each mail has to be in a request of the
// agent, in the right one, once in it and in all later ones, in none of a subagent,
// and acked by the agent.
func (r *run) judge() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var wrong []error
	for _, l := range r.plan.letters {
		wrong = append(wrong, r.arrived(l), r.settled(l))
	}
	if left := r.tundish("list", queue, "--unacked"); left != "" {
		wrong = append(wrong, fmt.Errorf("not acked: %s", left))
	}
	return errors.Join(wrong...)
}

// arrived looks for a mail in the requests.
func (r *run) arrived(l letter) error {
	first, agents := 0, 0
	for _, q := range r.model.heard() {
		n := bytes.Count(q.Body, []byte(l.text))
		switch {
		case q.Child && n > 0:
			return fmt.Errorf("a subagent has %s", l.text)
		case q.Agent == 0:
			continue
		case n > 1:
			return fmt.Errorf("request %d has %s %d times", q.Agent, l.text, n)
		case n == 0 && first > 0:
			return fmt.Errorf("request %d has lost %s", q.Agent, l.text)
		case n > 0 && first == 0:
			first = q.Agent
		}
		agents = q.Agent
	}
	switch {
	case first == 0:
		return fmt.Errorf("no request has %s (%d were made)", l.text, agents)
	case l.request != 0 && l.request != first:
		return fmt.Errorf("%s came with request %d, not %d", l.text, first, l.request)
	}
	return nil
}

// settled looks whether a mail is acked, and whether the agent saw that.
func (r *run) settled(l letter) error {
	id := r.ids[l.text]
	if id == "" {
		return fmt.Errorf("%s was never sent", l.text)
	}
	if shown := r.tundish("show", id); !strings.Contains(shown, `"owner": "`+who+`"`) {
		return fmt.Errorf("item %s is not acked by the agent: %s", id, shown)
	}
	told := regexp.MustCompile(`acked\W+(item\W+)?` + id + `\b`) // by the command, or the tool
	for _, q := range r.model.heard() {
		if q.Agent > 0 && told.Match(q.Body) {
			return nil
		}
	}
	return fmt.Errorf("the agent was not told that item %s is acked", id)
}

// outcome is, for the table, in which requests of how many the mails came, and with
// which tool they were acked.
func (r *run) outcome() (seen, acked string) {
	var at []string
	last := 0
	for _, l := range r.plan.letters {
		for _, q := range r.model.heard() {
			last = max(last, q.Agent)
			if q.Agent > 0 && bytes.Contains(q.Body, []byte(l.text)) {
				at = append(at, fmt.Sprint(q.Agent))
				break
			}
		}
	}
	for _, q := range r.model.heard() {
		last = max(last, q.Agent)
	}
	if at == nil {
		at = []string{"none"}
	}
	return fmt.Sprintf("%s of %d", strings.Join(at, ","), last), r.model.ack("").name
}
