package sqltest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/tundish-go/tundish/domain/inbox"
)

// ledger is what a store was asked and what it answered: the least that must be
// true of it, and the most that can be.
type ledger struct {
	now     int64 // Unix seconds
	serial  int   // of the last payload
	highest int64 // id that was answered

	stored   map[int64]message // by id: publishes that were acknowledged
	tried    [][]string        // payloads of publishes that failed, by batch
	prints   []delivery        // in order
	acks     map[claim]string  // owners of acks that were acknowledged
	rules    map[string]possible
	bindings map[binding]certainty
	push     push
	waits    waits
}

type message struct{ queue, payload string }

// delivery is an item in the output of a pull, which counts when the pull succeeded.
type delivery struct {
	subscription, subscriber string
	id, at                   int64
	counts                   bool
}

type claim struct {
	subscription string
	id           int64
}

type binding struct{ subscription, subscriber string }

// possible are the rules that a subscription may have.
type possible = map[inbox.Rules]bool

// certainty is what is known of a binding.
type certainty uint8

const (
	unbound certainty = iota
	perhaps
	bound
)

func newLedger() ledger {
	return ledger{
		now: 10_000, stored: map[int64]message{}, acks: map[claim]string{},
		rules: map[string]possible{}, bindings: map[binding]certainty{},
	}
}

func (l *ledger) clone() ledger {
	c := *l
	c.stored, c.acks = maps.Clone(l.stored), maps.Clone(l.acks)
	c.rules, c.bindings = maps.Clone(l.rules), maps.Clone(l.bindings)
	c.waits = l.waits.clone()
	c.tried, c.prints = slices.Clone(l.tried), slices.Clone(l.prints)
	return c
}

// payload makes one that no other item has.
func (l *ledger) payload() string {
	l.serial++
	return fmt.Sprintf(`{"n":%d}`, l.serial)
}

// try notes a publish that may fail.
func (l *ledger) try(payloads ...string) { l.tried = append(l.tried, payloads) }

// store notes a publish that was acknowledged. Only a duplicate has an id that is
// not the highest so far (OBJ-1).
func (l *ledger) store(queue, payload string, id int64, duplicate bool) error {
	if id <= l.highest && !duplicate {
		return fmt.Errorf("id %d after id %d", id, l.highest)
	}
	l.highest = max(l.highest, id)
	l.stored[id] = message{queue, payload}
	return nil
}

// print notes what a pull printed.
func (l *ledger) print(subscription, subscriber string, ids []int64, counts bool) {
	for _, id := range ids {
		l.prints = append(l.prints, delivery{subscription, subscriber, id, l.now, counts})
	}
}

// printed finds the ids in an output, by their tags or by what the template of
// digest makes of them.
func printed(output string) (ids []int64) {
	tag := regexp.MustCompile(`(?m)^(?:\[\w+#|item )(\d+)`)
	for _, m := range tag.FindAllStringSubmatch(output, -1) {
		id, err := strconv.ParseInt(m[1], 10, 64)
		if err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// toAck is the lowest item that was delivered to a subscriber and not acked.
func (l *ledger) toAck(subscription, subscriber string) (id int64) {
	for _, p := range l.prints {
		_, acked := l.acks[claim{subscription, p.id}]
		mine := p.subscription == subscription && p.subscriber == subscriber && p.counts
		if mine && !acked && (id == 0 || p.id < id) {
			id = p.id
		}
	}
	return id
}

// known tells whether a payload was ever given to a publish.
func (l *ledger) known(payload string) bool {
	return slices.ContainsFunc(l.tried, func(batch []string) bool { return slices.Contains(batch, payload) })
}
