package setup

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// State is how something stands.
type State string

// The states. What cannot be found out from here is Unknown; a Note is good to know
// and holds no mail back.
const (
	Good    State = "ok"
	Note    State = "note"
	Bad     State = "wrong"
	Unknown State = "unknown"
)

// Finding is one thing that was looked at. What says what was found; Remedy, empty
// when all is well, says what to do. Both are fragments without a full stop.
type Finding struct {
	State  State  `json:"state"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"`
}

func good(what string) Finding            { return Finding{Good, what, ""} }
func bad(what, remedy string) Finding     { return Finding{Bad, what, remedy} }
func unknown(what, remedy string) Finding { return Finding{Unknown, what, remedy} }

// Report is how a host's hook stands.
type Report struct {
	Host       string    `json:"host"`
	File       string    `json:"file"`
	Proven     bool      `json:"proven"` // the host was seen to take the hook
	InPlace    bool      `json:"in_place"`
	Delivers   bool      `json:"delivers"` // in place, and nothing is wrong
	Subscriber string    `json:"subscriber,omitempty"`
	Binary     string    `json:"binary,omitempty"`
	Events     []string  `json:"events"` // at which there is a hook of ours
	Findings   []Finding `json:"findings"`

	// Flags are the flags of the hook that say where its mail is: --db, --config.
	Flags []string `json:"-"`

	none bool // there is no hook, and no error
}

// Add adds a finding; with one that is wrong the hook does not deliver.
func (r *Report) Add(f Finding) {
	r.Findings = append(r.Findings, f)
	r.Delivers = r.Delivers && f.State != Bad
}

// Absent tells that the host's file could be read and has no hook of ours.
func (r *Report) Absent() bool { return r.none }

// Check looks whether the hook is in place in the host's file and would deliver
// (SETUP-6): at all events, for the subscriber who unless that is empty, with a
// program that can be run and a sensible time, and not held back by the host as
// far as its files tell. It changes nothing.
func Check(h Host, p Place, who string) Report {
	r := Report{Host: h.Name, File: h.path(p), Proven: h.Proven, Events: []string{}, Findings: []Finding{}}
	found, err := r.read(h, p)
	switch {
	case err != nil:
		r.Findings = append(r.Findings, unread(r.File, err))
		return r
	case len(found) == 0:
		r.none = true
		r.Findings = append(r.Findings, bad("no hook of tundish in "+r.File, repair(h.Name, p, nil, who)))
		return r
	}
	mine := max(0, slices.IndexFunc(found, func(at hook) bool { return Subscriber(at.words) == who }))
	words := found[mine].words
	r.Subscriber, r.Flags, r.Binary = Subscriber(words), globalFlags(words), binaryOf(words)
	again := repair(h.Name, p, words, who)
	r.events(h, found, again)
	r.subscriber(h, found, who, again)
	r.binary(found, again)
	r.times(h, found)
	if h.watch != nil {
		r.Findings = append(r.Findings, h.watch(p, r.File, found)...)
	}
	if !h.Proven {
		r.Findings = append(r.Findings, unknown("whether "+h.Title+" takes it: written from its documentation, never seen to run", "watch a session"))
	}
	r.Delivers = r.InPlace && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.State == Bad })
	return r
}

func (r *Report) read(h Host, p Place) ([]hook, error) {
	f, err := h.open(p)
	if err != nil {
		return nil, err
	}
	return h.editor.find(f.text)
}

// unread is the finding for a file that cannot be understood.
func unread(path string, err error) Finding {
	var place *PlaceError
	if errors.As(err, &place) {
		place.Path = path
		return bad("the file cannot be understood: "+place.Error(), "mend it")
	}
	return bad(err.Error(), "")
}

func (r *Report) events(h Host, found []hook, again string) {
	r.InPlace = true
	for _, at := range found {
		if !slices.Contains(r.Events, at.event) {
			r.Events = append(r.Events, at.event)
		}
	}
	for _, event := range h.Events {
		if !slices.Contains(r.Events, event) {
			r.InPlace = false
			r.Findings = append(r.Findings, bad("no hook of tundish at "+event+" in "+r.File, again))
		}
	}
	if r.InPlace {
		r.Findings = append(r.Findings, good("hooks at "+strings.Join(h.Events, ", ")+" in "+r.File))
	}
}

// subscriber looks for events at which no hook pulls for the subscriber, from the
// one database; a hook for another, beside it or at one more event, takes nothing
// away.
func (r *Report) subscriber(h Host, found []hook, who, again string) {
	served := map[string]bool{}
	for _, at := range found {
		served[at.event] = served[at.event] || Subscriber(at.words) == r.Subscriber && slices.Equal(globalFlags(at.words), r.Flags)
	}
	for _, at := range found {
		if served[at.event] || !slices.Contains(h.Events, at.event) {
			continue
		}
		what := "uses another database than another hook"
		if is := Subscriber(at.words); is != r.Subscriber {
			what = fmt.Sprintf("pulls for %s and another hook for %s", is, r.Subscriber)
		}
		r.Findings = append(r.Findings, bad(fmt.Sprintf("%s:%d %s", r.File, at.line, what), again))
		return
	}
	if who != "" && who != r.Subscriber {
		r.InPlace = false
		r.Findings = append(r.Findings, bad("the hooks pull for "+r.Subscriber+" and not for "+who, again))
	}
}

func (r *Report) binary(found []hook, again string) {
	for _, at := range found {
		if why := unusable(binaryOf(at.words)); why != "" {
			r.Findings = append(r.Findings, bad(fmt.Sprintf("%s:%d runs %s, %s", r.File, at.line, binaryOf(at.words), why), again))
			return
		}
	}
	r.Findings = append(r.Findings, good(r.Binary+" is there and can be run"))
}

// unusable says why a program cannot be run by a host; empty when it can.
func unusable(binary string) string {
	if !filepath.IsAbs(binary) {
		return "which the host's PATH may not have"
	}
	info, err := os.Stat(binary)
	switch {
	case err != nil:
		return "which does not exist"
	case !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return "which is no program"
	}
	return ""
}

// times tells of the worst limit, of those that cut a pull off or hold a session up.
func (r *Report) times(h Host, found []hook) {
	var worst Finding
	for _, at := range found {
		if state := h.limited(at.timeout); state != Good && worst.State != Bad && state != worst.State {
			worst = Finding{state, fmt.Sprintf("%s:%d has the time limit %s", r.File, at.line, cmp.Or(at.timeout, "none")), "set it to " + h.Limit}
		}
	}
	if worst.State != "" {
		r.Findings = append(r.Findings, worst)
	}
}

// limited is how a time limit stands. Mail comes with a long one too, and without
// one, as the hosts with JSON files have their own.
func (h Host) limited(timeout string) State {
	shortest, longest := int64(200), int64(2000)
	in, json := h.editor.(hooks)
	if json {
		longest = int64(in.longest)
		shortest = max(1, longest/60)
	}
	n, err := strconv.ParseInt(timeout, 10, 64)
	switch {
	case h.Name == "opencode": // the plugin has its own
		return Good
	case json && (timeout == "" || err == nil && n > longest):
		return Note
	case err != nil || n < shortest || n > longest:
		return Bad
	}
	return Good
}

// readJSON reads a host's JSON file.
func readJSON(path string) (jsonText, error) {
	f, err := readFile(path)
	if err != nil {
		return jsonText{}, err
	}
	return parseJSON(f.text)
}

// disabled looks at a switch that turns all hooks of a file off.
func disabled(path, name string) []Finding {
	doc, err := readJSON(path)
	if err != nil {
		return nil // the check of the file itself has said so
	}
	if off := doc.root.member(name); off != nil && string(doc.text[off.start:off.end]) == "true" {
		return []Finding{bad(name+" in "+path+" is true, so that no hook runs", "set it to false")}
	}
	return nil
}
