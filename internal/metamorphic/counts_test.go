package metamorphic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// counts tell how often something happened in the programs of a run.
type counts map[string]int

// events are what shows in a transcript that something happened.
func events() map[string]*regexp.Regexp {
	patterns := map[string]string{
		"pulls that delivered":             `^\{"Delivered":[1-9]`,
		"pulls that were silent":           `^\{"Delivered":0`,
		"subscriptions printed":            `^\| tundish: subscription=`,
		"more=1":                           `^\| tundish: .* more=1`,
		"unacked":                          `^\| tundish: .* unacked=[1-9]`,
		"parked":                           `^\| tundish: .* parked=[1-9]`,
		"filter errors":                    `^\| tundish: .* errors=[1-9]`,
		"dropped":                          `^\| tundish: .* dropped=[1-9]`,
		"leases granted":                   `^\| tundish: .* lease=[1-9]`,
		"mere status lines":                `^\| tundish: .* delivered=0 `,
		"items cut":                        `^\| .* … tundish show [0-9]+$`,
		"template errors":                  `\(template error: `,
		"lines guarded":                    `^\| (?:\[.*#[0-9]+\] )?\\`,
		"duplicates":                       `"Duplicate":true`,
		"scheduled":                        `^\{"ID":0,"Scheduled":[1-9]`,
		"duplicates of what waits":         `"Scheduled":[1-9][0-9]*,"Duplicate":true`,
		"taken back":                       `^"taken back"`,
		"listed as scheduled":              `^\{"scheduled":`,
		"listed as expiring":               `^\{"id":.*"expires_at":`,
		"nacked":                           `^\[\{"Item":.*"Attempts":.*"Parked":false`,
		"parked by a nack":                 `^\[\{"Item":.*"Attempts":.*"Parked":true`,
		"nacks and extensions refused":     `^error [0-9]+: the (?:nack|extension) was refused`,
		"extended":                         `^\[\{"Item":[0-9]+,"Subscription":"[^"]*","Until":[^}]*\}`,
		"unparked":                         `^\{"Unparked":`,
		"acked through":                    `^\[\{"Item":.*"NoteLost":`,
		"acked with a note":                `^\[\{"Subscription":.*"Note":"[^"]`,
		"sought":                           `^\{"Position":[0-9]+,"From":`,
		"given back, and not leased yet":   `^\{"Subscription":"[^"]*","Item":[0-9]+,"Owner":"","Granted"`,
		"created":                          `"Created":true`,
		"rules replaced":                   `"Replaced":true`,
		"moved":                            `"MovedFrom":"[^"]`,
		"leases cleared by share all":      `"Lost":\[`,
		"acks":                             `^\{"Item":[0-9]+,"Subscription":"[^"]*","Repeat":false`,
		"acks repeated":                    `"Repeat":true`,
		"acks of parked items":             `"WasParked":true`,
		"acks of unread items":             `"NeverPulled":true`,
		"acks refused: already acked":      `^error 3: .*already acked by`,
		"acks refused: leased":             `^error 3: .*leased by`,
		"errors: invalid":                  `^error 1:`,
		"errors: not found":                `^error 2:`,
		"errors: payload":                  `^error 4:`,
		"errors: expression":               `^error 5:`,
		"errors: output":                   `^error [0-9]+: the output could not be written`,
		"errors: deadline":                 `^error [0-9]+$`,
		"state: leases of a later attempt": `"Attempts":[2-9][0-9]*,"Parked":false`,
		"state: parked leases":             `"Parked":true`,
		"state: items shown":               `^binding with [1-9]`,
	}
	all := make(map[string]*regexp.Regexp, len(patterns))
	for name, pattern := range patterns {
		all[name] = regexp.MustCompile(pattern)
	}
	return all
}

// add counts what happened in a program.
func (c counts) add(program []step, answers []Answer) {
	c["programs"]++
	found := events()
	for i, s := range program {
		c["operations"]++
		c["operations: "+string(s.Kind)]++
		c.clock(s.ahead)
		statuses := 0
		for _, line := range answers[i].Lines {
			for name, pattern := range found {
				if pattern.MatchString(line) {
					c[name]++
				}
			}
			if strings.HasPrefix(line, "| tundish: subscription=") {
				statuses++
			}
		}
		if statuses > 1 {
			c["due pulls of several"]++
		}
		if s.Kind == Pull {
			c["items printed"] += len(answers[i].IDs)
		}
	}
}

func (c counts) clock(ahead int64) {
	span, way := "seconds", "ahead"
	if ahead < 0 {
		ahead, way = -ahead, "back"
	}
	switch {
	case ahead == 0:
		return
	case ahead >= year:
		span = "years"
	case ahead >= day:
		span = "a day"
	case ahead >= minute:
		span = "minutes"
	}
	c["clock steps"]++
	c["clock steps "+way+": "+span]++
}

// report prints the counts. In enough programs everything that a transcript can
// show has to happen: what never happens is not tested.
func (c counts) report(t *testing.T) {
	t.Helper()
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%8d  %s\n", c[name], name)
	}
	t.Logf("what happened:\n%s", b.String())
	const many = 1000
	for name := range events() {
		if c[name] == 0 && c["programs"] >= many {
			t.Errorf("never in %d programs: %s", c["programs"], name)
		}
	}
}
