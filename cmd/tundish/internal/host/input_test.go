package host_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
)

// HOOK-1: inputs that no host should send do no harm.
func TestHOOK1_OddInputs(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	for text, want := range map[string]host.Input{
		"":           {},
		" \r\n\t ":   {},
		"nonsense":   {Partial: true},
		"\x00":       {Partial: true},
		"null":       {Partial: true},
		`"Stop"`:     {Partial: true},
		`["a"]`:      {Partial: true},
		"{}":         {},
		"{":          {Partial: true},
		`{"a":`:      {Partial: true},
		`{"a":1,}`:   {Partial: true},
		`{"a":1 "b"`: {Partial: true},

		`{"hook_event_name":"Stop"}`:                             {Event: "Stop"},
		"\n {\"hook_event_name\" : \"Stop\"}\n{}":                {Event: "Stop"},
		`{"hook_event_name":"Stop"`:                              {Event: "Stop", Partial: true},
		`{"hook_event_name":"Stop","prompt":"x`:                  {Event: "Stop", Partial: true},
		`{"hook_event_name":"St`:                                 {Partial: true},
		`{"hook_event_name":"Stop","x":` + deep:                  {Event: "Stop", Partial: true},
		`{"hook_event_name":7}`:                                  {},
		`{"hook_event_name":null}`:                               {},
		`{"hook_event_name":["Stop"]}`:                           {},
		`{"Hook_Event_Name":"Stop"}`:                             {},
		`{"x":{"hook_event_name":"Stop","agent_id":"a"}}`:        {},
		`{"hook_event_name":"\u0053top","agent_id":"a"}`:         {Event: "Stop", Subagent: true},
		`{"agent_id":"a","hook_event_name":"Stop","agent_id":0}`: {Event: "Stop", Subagent: true},

		`{"agent_id":""}`:              {},
		`{"agent_id":null}`:            {},
		`{"agent_id":"a"}`:             {Subagent: true},
		`{"agent_id":7}`:               {Subagent: true},
		`{"agentId":"a"}`:              {Subagent: true},
		`{"agent_type":"main"}`:        {},
		`{"is_subagent":true}`:         {Subagent: true},
		`{"is_subagent":false}`:        {},
		`{"is_subagent":"true"}`:       {},
		`{"status":"completed"}`:       {},
		`{"status":"error"}`:           {Ending: true},
		`{"status":{"a":1}}`:           {},
		`{"loop_count":4}`:             {},
		`{"loop_count":5}`:             {Ending: true},
		`{"loop_count":"many"}`:        {},
		`{"loop_count":1e999}`:         {},
		`{"a":"` + "\xff" + `","b":0}`: {},
	} {
		if got := host.Read(strings.NewReader(text)); got != want {
			t.Errorf("%.80q is read as %+v, want %+v", text, got, want)
		}
	}
}

// HOOK-1: nothing is read behind the object, which a host may never end.
func TestHOOK1_InputIsReadToTheEndOfTheObject(t *testing.T) {
	late := errors.New("too late")
	for text, want := range map[string]host.Input{
		`{"hook_event_name":"Stop","agent_id":"a"}`: {Event: "Stop", Subagent: true},
		`{"hook_event_name":"Stop",`:                {Event: "Stop", Partial: true},
		` `:                                         {},
		``:                                          {},
	} {
		if got := host.Read(io.MultiReader(strings.NewReader(text), failing{late})); got != want {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// HOOK-1: no input breaks the reading, and what is found is in it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "{}", `{"hook_event_name":"Stop","agent_id":null,"status":"x","loop_count":9}`, `{"a":[{}]} {`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := host.Read(strings.NewReader(text))
		if in.Event != "" && !strings.Contains(text, "hook") && !strings.Contains(text, `\u`) {
			t.Errorf("%q has the event %q", text, in.Event)
		}
		if half := host.Read(strings.NewReader(text + `{"agent_id":"a"}`)); in != (host.Input{}) && !in.Partial && half != in {
			t.Errorf("%q is %+v, and %+v with more behind it", text, in, half)
		}
	})
}
