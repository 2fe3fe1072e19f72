package inbox

import (
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// CMD-2: field order, omitted fields, values, seconds.
func TestCMD2_RulesJSON(t *testing.T) {
	full := Rules{
		Queue: "ci", Filter: `.key == "ci:main"`, Select: SinceLastRead, Limit: 4, Consume: OnAck, Share: One,
		Every: 3600, Template: `"<\(.id)> & " + .queue`, Lease: 120, MaxAttempts: 5, Start: StartNew,
	}
	digest := DefaultRules("ci")
	digest.Select, digest.Limit = Latest, 3
	tests := []struct {
		rules Rules
		want  string
	}{
		{DefaultRules("ci"), `{"queue":"ci","select":"since_last_read","consume":"on_read","share":"all","lease":600,"max_attempts":3,"start":"all"}`},
		{full, `{"queue":"ci","filter":".key == \"ci:main\"","select":"since_last_read","limit":4,"consume":"on_ack","share":"one","every":3600,` +
			`"template":"\"<\\(.id)> & \" + .queue","lease":120,"max_attempts":5,"start":"new"}`},
		{digest, `{"queue":"ci","select":"latest","limit":3,"consume":"on_read","share":"all","lease":600,"max_attempts":3,"start":"all"}`},
	}
	for _, tt := range tests {
		got := tt.rules.JSON()
		if got != tt.want {
			t.Errorf("JSON() = %s\nwant     %s", got, tt.want)
		}
		back, err := ParseRules(got)
		if err != nil || back != tt.rules {
			t.Errorf("ParseRules(%s) = %+v, %v", got, back, err)
		}
	}
}

func TestCMD2_DefaultsCanBeUsed(t *testing.T) {
	if err := DefaultRules("q").Check(); err != nil {
		t.Fatal(err)
	}
}

// CMD-2: each value that is out of range, and its neighbour that is not.
type ruleValue struct {
	name   string
	change func(*Rules)
	fault  string // empty: fine
}

func ruleValues() []ruleValue {
	return []ruleValue{
		{"select latest", latest(1), ""},
		{"select unknown", func(r *Rules) { r.Select = "newest" }, `select "newest"`},
		{"select empty", func(r *Rules) { r.Select = "" }, `select ""`},
		{"consume on_ack", allOnAck, ""},
		{"consume unknown", func(r *Rules) { r.Consume = "on-ack" }, `consume "on-ack"`},
		{"share one", shareOne, ""},
		{"share unknown", func(r *Rules) { r.Share = "some" }, `share "some"`},
		{"start new", func(r *Rules) { r.Start = StartNew }, ""},
		{"start unknown", func(r *Rules) { r.Start = "old" }, `start "old"`},
		{"limit 1", limited(1, nil), ""},
		{"limit -1", limited(-1, nil), "limit -1"},
		{"every 1", func(r *Rules) { r.Every = 1 }, ""},
		{"every most", func(r *Rules) { r.Every = MaxDuration }, ""},
		{"every above", func(r *Rules) { r.Every = MaxDuration + 1 }, "every 3153600001"},
		{"every -1", func(r *Rules) { r.Every = -1 }, "every -1"},
		{"lease 1", func(r *Rules) { r.Lease = 1 }, ""},
		{"lease 0", func(r *Rules) { r.Lease = 0 }, "lease 0"},
		{"lease most", func(r *Rules) { r.Lease = MaxDuration }, ""},
		{"lease above", func(r *Rules) { r.Lease = MaxDuration + 1 }, "lease 3153600001"},
		{"max_attempts 1", func(r *Rules) { r.MaxAttempts = 1 }, ""},
		{"max_attempts 0", func(r *Rules) { r.MaxAttempts = 0 }, "max_attempts 0"},
		{"latest without limit", latest(0), "latest needs a limit"},
		{"latest of one", func(r *Rules) { latest(3)(r); r.Share = One }, "latest cannot be combined with share one"},
	}
}

func TestCMD2_RuleValues(t *testing.T) {
	for _, tt := range ruleValues() {
		t.Run(tt.name, func(t *testing.T) {
			rules := rulesWith(tt.change)
			err := rules.Check()
			stored, parseErr := ParseRules(rules.JSON())
			if tt.fault == "" {
				if err != nil || parseErr != nil || stored != rules {
					t.Fatalf("Check: %v, ParseRules: %+v, %v", err, stored, parseErr)
				}
				return
			}
			requireCode(t, err, domain.Invalid)
			if !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%v, want …%s…", err, tt.fault)
			}
			requireCode(t, parseErr, domain.Corrupt)
			if stored != (Rules{}) {
				t.Errorf("unusable rules yielded %+v", stored)
			}
		})
	}
}

// OBJ-5: a subscription cannot choose a queue name that no item can have, but
// STO-6: one that was taken over stays readable.
func TestSTO6_QueueNamesOfOldRulesStay(t *testing.T) {
	for _, queue := range []string{"a]b", "a\u202eb", "two\nlines", strings.Repeat("q", 300)} {
		rules := DefaultRules(queue)
		requireCode(t, rules.Check(), domain.Invalid)
		if got, err := ParseRules(rules.JSON()); err != nil || got != rules {
			t.Errorf("ParseRules(%s) = %+v, %v", rules.JSON(), got, err)
		}
	}
	requireCode(t, DefaultRules("").Check(), domain.Invalid)
}

// PULL-10, STO-5: rules that cannot be read are named as such and never half
// used.
func TestPULL10_BrokenRules(t *testing.T) {
	good := DefaultRules("q").JSON()
	tests := map[string]string{
		"empty":         "",
		"no JSON":       "queue: q",
		"cut":           good[:len(good)-1],
		"list":          "[" + good + "]",
		"no queue":      strings.Replace(good, `"queue":"q",`, "", 1),
		"empty queue":   strings.Replace(good, `"queue":"q"`, `"queue":""`, 1),
		"null":          "null",
		"newer field":   strings.Replace(good, `{"queue"`, `{"delay":5,"queue"`, 1),
		"wrong type":    strings.Replace(good, `"lease":600`, `"lease":"600"`, 1),
		"fraction":      strings.Replace(good, `"lease":600`, `"lease":1.5`, 1),
		"too big":       strings.Replace(good, `"lease":600`, `"lease":9223372036854775808`, 1),
		"no lease":      strings.Replace(good, `"lease":600,`, "", 1),
		"newer value":   strings.Replace(good, `"share":"all"`, `"share":"few"`, 1),
		"trailing text": good + " x",
		"second value":  good + good,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseRules(text)
			requireCode(t, err, domain.Corrupt)
			if got != (Rules{}) {
				t.Errorf("unreadable rules yielded %+v", got)
			}
		})
	}
	if got, err := ParseRules(" " + good + " \n"); err != nil || got != DefaultRules("q") {
		t.Errorf("space around the rules: %+v, %v", got, err)
	}
}

// PULL-5: what a delivery records depends on consume and share alone.
func TestPULL5_WhatDeliveryRecords(t *testing.T) {
	tests := []struct {
		share         Share
		consume       Consume
		leases, shown bool
	}{
		{All, OnRead, false, false}, {All, OnAck, false, true}, {One, OnRead, false, false}, {One, OnAck, true, false},
	}
	for _, tt := range tests {
		r := rulesWith(func(r *Rules) { r.Share, r.Consume = tt.share, tt.consume })
		if r.leases() != tt.leases || r.tracksShown() != tt.shown {
			t.Errorf("%s %s: leases %t, shown %t", tt.share, tt.consume, r.leases(), r.tracksShown())
		}
	}
}
