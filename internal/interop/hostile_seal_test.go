//go:build unix

package interop_test

import "testing"

// PULL-15: what reaches outside the item, and what could only fail later, is
// refused when subscribing, with its place and a hint, and nothing is subscribed.
func TestPULL15_SealedNames(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "subscribe", "s", "--as", "w", "--queue", "q", "--filter", "true")
		before := s.ok(b, "status")
		for text, words := range map[string][]string{
			".id | env":                 {"env is not allowed", "at byte 7", "environment"},
			".id | $ENV.HOME":           {"$ENV is not allowed", "at byte 7", "environment"},
			`"x" | halt`:                {"halt is not allowed", "at byte 7", "process"},
			`"x" | halt_error`:          {"halt_error is not allowed", "at byte 7", "process"},
			"[input]":                   {"input is not allowed", "at byte 2", "no further input"},
			"[inputs]":                  {"inputs is not allowed", "at byte 2", "no further input"},
			"input_filename":            {"input_filename is not allowed", "at byte 1", "no further input"},
			"input_line_number":         {"input_line_number is not allowed", "at byte 1", "no further input"},
			`import "m" as m; .`:        {"modules", "at byte 1", "write the functions into"},
			`include "m"; .`:            {"modules", "at byte 1", "write the functions into"},
			`"m" | modulemeta`:          {"modulemeta is not allowed", "at byte 7", "only their item"},
			".payload | @yaml":          {"unknown format @yaml", "at byte 12", "known are"},
			`.key | test("(")`:          {"no regular expression", "at byte 8", "RE2"},
			`.key | test("(?<=a)b")`:    {"no regular expression", "at byte 8", "RE2"},
			`.key | gsub("a{2000}";"")`: {"no regular expression", "at byte 8", "RE2"},
		} {
			for _, flag := range []string{"--filter", "--template"} {
				s.fails(b, 1, words, "subscribe", "n", "--as", "w", "--queue", "q", flag, text)
			}
		}
		if after := s.ok(b, "status"); after != before {
			t.Errorf("the status changed from\n%sto\n%s", before, after)
		}
	})
}

// PULL-15: now is the clock of the pull.
func TestPULL15_NowIsTheClockOfThePull(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "--now", "1000", "subscribe", "f", "--as", "w", "--queue", "q", "--filter", "now - .created_at == 500", "--template", `"[\(.queue)#\(.id)] \(now)"`)
		s.ok(b, "--now", "1000", "publish", "q", "1")
		got := parsePull(t, s.ok(b, "--now", "1500", "pull", "f", "--as", "w"))
		if len(got) != 1 || len(got[0].items) != 1 || got[0].items[0].text != "1500" {
			t.Errorf("got %+v", got)
		}
	})
}
