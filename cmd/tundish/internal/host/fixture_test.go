package host_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
)

// HOOK-1, HOOK-3: of every recorded input of every host the event is found, and
// whether it is a subagent's.
func TestHOOK1_RecordedInputs(t *testing.T) {
	recorded := map[string]bool{}
	files := os.DirFS("testdata")
	err := fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		words := strings.Split(file, "/")
		if err != nil || d.IsDir() || len(words) != 3 {
			return err
		}
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		recorded[words[0]+" "+words[1]] = true
		t.Run(file, func(t *testing.T) { checkInput(t, words[0], words[1], words[2], string(text)) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range host.Names() {
		h, _ := host.Find(name)
		for _, event := range h.EventNames() {
			if !recorded[name+" "+event] {
				t.Errorf("there is no input of %s at %s", name, event)
			}
		}
	}
}

func checkInput(t *testing.T, name, event, file, text string) {
	h, ok := host.Find(name)
	if !ok {
		t.Fatal("there is no such host")
	}
	var in host.Input
	if path.Ext(file) == ".env" {
		for line := range strings.Lines(text) {
			if value, ok := strings.CutPrefix(line, h.Variable+"="); ok && h.Variable != "" {
				in.Event = strings.TrimSpace(value)
			}
		}
	} else {
		in = host.Read(strings.NewReader(text))
	}
	want := host.Input{Event: event, Subagent: strings.HasPrefix(file, "subagent"), Ending: strings.HasPrefix(file, "ending")}
	if name == "copilot" && in.Event == "" {
		want.Event = ""
	}
	if in != want {
		t.Errorf("read %+v, want %+v", in, want)
	}
	known := slices.Contains(h.EventNames(), event)
	for _, subagents := range []bool{false, true} {
		e, why, ok := h.Occasion(in, event, subagents)
		if want := known && !want.Ending && (subagents || !want.Subagent); ok != want {
			t.Errorf("with subagents %v it delivers: %v (%s)", subagents, ok, why)
		}
		if ok && e.Name != event {
			t.Errorf("the event is %q", e.Name)
		}
	}
}
