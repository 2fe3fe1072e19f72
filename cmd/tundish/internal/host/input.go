package host

import (
	"encoding/json"
	"io"
)

// Input is what a host tells a hook. The zero value is a host that tells nothing.
type Input struct {
	Event    string // empty: it does not say
	Subagent bool   // the hook runs inside a subagent (HOOK-3)
	Ending   bool   // the turn ends, whatever a hook prints
	Partial  bool   // there was something, but not one whole JSON object
}

// cursorTurns is how often Cursor lets a hook prolong a turn unless it is
// configured otherwise.
const cursorTurns = 5

// Read reads an input from r, up to the end of the JSON object and not on to the
// end of r, so that a host may keep its end open (HOOK-1). What r fails with ends
// the reading. What had come by then counts.
func Read(r io.Reader) Input {
	var in Input
	decoder := json.NewDecoder(r)
	start, err := decoder.Token()
	if err != nil {
		in.Partial = decoder.InputOffset() > 0 || buffered(decoder)
		return in
	}
	in.Partial = true
	if start != json.Delim('{') {
		return in
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return in
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return in
		}
		in.member(name, value)
	}
	_, err = decoder.Token() // the closing brace
	in.Partial = err != nil
	return in
}

// buffered tells whether something other than space was read but not understood.
func buffered(decoder *json.Decoder) bool {
	var first [1]byte
	for rest := decoder.Buffered(); ; {
		if n, err := rest.Read(first[:]); n == 0 || err != nil {
			return false
		}
		switch first[0] {
		case ' ', '\t', '\r', '\n':
		default:
			return true
		}
	}
}

// member takes in one member of the object.
func (in *Input) member(name json.Token, value json.RawMessage) {
	switch name {
	case "hook_event_name":
		in.Event = text(value)
	case "agent_id", "agentId":
		in.Subagent = in.Subagent || text(value) != "" || value[0] != '"' && string(value) != "null"
	case "is_subagent": // of our plugin for opencode
		in.Subagent = in.Subagent || string(value) == "true"
	case "status": // of Cursor: a turn that failed or was aborted takes no message
		in.Ending = in.Ending || text(value) != "" && text(value) != "completed"
	case "loop_count": // of Cursor
		var turns float64
		in.Ending = in.Ending || json.Unmarshal(value, &turns) == nil && turns >= cursorTurns
	}
}

// text is a JSON string's text; empty for another value.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}
