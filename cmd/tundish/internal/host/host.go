package host

import "strings"

// Form is the shape in which a host takes text at an event.
type Form uint8

// The forms. JSON forms are one object and nothing beside it.
const (
	Text     Form = iota + 1 // the text as it is
	Envelope                 // hookSpecificOutput with the event's name and additionalContext
	Block                    // decision "block" with the text as its reason: the turn goes on
	Deny                     // the same with decision "deny"
	Context                  // additional_context at the top
	Addition                 // additionalContext at the top
	Followup                 // followup_message: the turn goes on with it
)

// Event is a moment at which a host takes text.
type Event struct {
	Name string
	Form Form
	// Continues says that text makes a turn go on that would end: mere status
	// lines are not worth that (HOOK-5).
	Continues bool
	// Child says that the event is about a subagent (HOOK-3).
	Child bool
}

// Host is a program that runs hooks.
type Host struct {
	Name   string
	Proven bool // false: described from its documentation, never seen
	// MaxBytes bounds the text, in bytes before it is escaped for JSON; 0 leaves
	// it to whoever calls (HOOK-4).
	MaxBytes int
	// Stdin says that the host tells what happens in a JSON object on standard
	// input.
	Stdin bool
	// Variable of the environment holds the event's name, where that is so.
	Variable string
	// Tells says that subagents can be told from standard input.
	Tells  bool
	Events []Event // nil: any event, or none, takes text
}

// Event finds an event by its name; ok is false when the host takes nothing there.
func (h Host) Event(name string) (e Event, ok bool) {
	for _, e := range h.Events {
		if e.Name == name {
			return e, true
		}
	}
	return Event{Name: name, Form: Text}, h.Events == nil
}

// Occasion finds the event at which a hook runs: what in says, or else the event
// that was given by hand. ok is false when the hook must print and take nothing;
// why is for a person, and empty where that is as it should be.
//
// Nothing is taken inside a subagent, whose model alone would see it, unless
// subagents is true (HOOK-3). An input that is broken or was cut off may have said
// that it is one, so it counts as one where the host tells.
func (h Host) Occasion(in Input, given string, subagents bool) (e Event, why string, ok bool) {
	name := in.Event
	if name == "" {
		name = given
	}
	e, ok = h.Event(name)
	switch {
	case !ok && in.Partial:
		return e, "standard input was not one whole JSON object with a hook_event_name", false
	case !ok && name == "":
		return e, "neither " + h.source() + " nor --event names an event", false
	case !ok:
		return e, h.Name + " takes no text at the event " + name + ", but at " + strings.Join(h.EventNames(), ", "), false
	case !subagents && (in.Subagent || e.Child):
		return e, "", false
	case !subagents && in.Partial && h.Tells:
		return e, "standard input was not one whole JSON object, so that a subagent could not be told", false
	case in.Ending && e.Continues:
		return e, "", false
	}
	return e, "", true
}

func (h Host) source() string {
	if h.Variable != "" {
		return h.Variable
	}
	return "hook_event_name on standard input"
}

// EventNames are the events at which the host takes text, in the order of a
// session; none for a host that takes it at any.
func (h Host) EventNames() []string {
	names := make([]string, 0, len(h.Events))
	for _, e := range h.Events {
		names = append(names, e.Name)
	}
	return names
}
