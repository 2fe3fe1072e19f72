package setup

import (
	"bytes"
	"encoding/json"
	"errors"
)

func (h hooks) loses(before, after []byte) bool {
	d, err := parseJSON(before)
	found, unread := h.list(d)
	next, again := h.find(after)
	if errors.Join(err, unread, again) != nil {
		return true // never: both were read
	}
	stays := map[string]string{} // the commands, by their events
	for _, at := range next {
		stays[at.event] = at.command
	}
	seen := map[string]bool{}
	for _, at := range found {
		command, stay := stays[at.event]
		switch {
		case seen[at.event]: // init writes one, and leaves one
			return true
		case stay && command != at.command && !h.usual(at), !stay && !h.plain(d, at):
			return true // one that stays keeps all but its command
		}
		seen[at.event] = true
	}
	return false
}

// usual tells whether the command of a hook is as init writes it, for whomever.
func (h hooks) usual(at hook) bool {
	host, _ := Find(h.host)
	words := host.general(at.words)
	return host.usual(words) && at.command == h.line(words, at.event)
}

// plain tells whether a hook, with its group if that goes with it, is as init writes
// it but for space.
func (h hooks) plain(d jsonText, at hook) bool {
	is, want := at.handler, h.handler(at.command)
	if at.lonely() {
		is, want = at.array.items[at.i].value, h.entry(at.command)
	}
	var b bytes.Buffer
	err := json.Compact(&b, d.of(is)) // takes no comments, which init does not write
	return err == nil && b.String() == want && h.usual(at) && h.known(at.event)
}
