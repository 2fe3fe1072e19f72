package cli

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func newSession(args ...string) *session {
	return &session{Program: Program{Args: args}, text: bufio.NewWriter(io.Discard)}
}

// CMD-5: a number below zero is a payload, and nothing else moves.
func TestCMD5_PayloadLast(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"publish q -5", "publish -- q -5"},
		{"publish q -0.5e3 --key k", "publish --key k -- q -0.5e3"},
		{"publish -5 {}", "publish -- -5 {}"},
		{"--db -1 publish q -5", "--db -1 publish -- q -5"},
		{"publish --key -5 q", "publish --key -5 q"},
		{"publish --key=-5 q -6", "publish --key=-5 -- q -6"},
		{"publish --lines q -6", "publish --lines -- q -6"},
		{"publish --nosuch q -6", "publish --nosuch -- q -6"},
		{"publish q -- -5", "publish q -- -5"},
		{"publish q -5 -- --key", "publish -- q -5 --key"},
		{"publish q -", "publish q -"},
		{"publish q -V -5", "publish -V -- q -5"},
		{"publish q --key", "publish q --key"},
		{"list q --limit -5", "list q --limit -5"},
		{"--limit publish -5", "--limit publish -- -5"},
		{"show -5", "show -5"},
		{"-- publish q -5", "-- publish q -5"},
		{"", ""},
	} {
		args := strings.Fields(test.args)
		got := strings.Join(payloadLast(args, newSession(args...).root()), " ")
		if got != test.want {
			t.Errorf("%q became %q, want %q", test.args, got, test.want)
		}
	}
}

func FuzzArgs(f *testing.F) {
	for _, line := range []string{"publish q -5", "publish q --key k -- -5", "--db x publish -5 - --", "pull s --as a", "\n-0\n--=", "publish\n--key\n-5\n-6"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		if !strings.Contains(line, "\n") {
			args = strings.Fields(line)
		}
		before := slices.Clone(args)
		got := payloadLast(args, newSession(args...).root())
		if diff := cmp.Diff(before, args); diff != "" {
			t.Errorf("the arguments themselves changed: %s", diff)
		}
		if diff := cmp.Diff(sorted(args), sorted(got)); diff != "" {
			t.Errorf("words were lost or added: %s", diff)
		}
		if again := payloadLast(got, newSession(got...).root()); !slices.Equal(again, got) {
			t.Errorf("%q became %q, and that became %q", args, got, again)
		}
	})
}

// sorted are the words without --, in an order of their own.
func sorted(args []string) []string {
	words := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "--" })
	slices.Sort(words)
	return append([]string{}, words...)
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		text  string
		least int64
		want  int64
		fails string
	}{
		{"7", 1, 7, ""}, {"-1", -1, -1, ""}, {"0", 1, 0, "use 1 or more"}, {"-2", -1, 0, "use -1 or more"},
		{"", 0, 0, `""`}, {"1.5", 0, 0, `"1.5"`}, {"99999999999999999999", 0, 0, "fits"}, {" 1", 0, 0, `" 1"`},
	} {
		got, err := number("limit", test.text, test.least)
		switch {
		case test.fails == "" && (err != nil || got != test.want):
			t.Errorf("number(%q) = %d, %v", test.text, got, err)
		case test.fails != "" && (exitCode(err) != 2 || !strings.Contains(err.Error(), test.fails) || !strings.Contains(err.Error(), "--limit")):
			t.Errorf("number(%q) fails with %v, want %q", test.text, err, test.fails)
		}
	}
}

// Every command has a short text and, unless it is for packagers, an example;
// and the one that is called is built alone.
func TestCommands(t *testing.T) {
	all := newSession("nothing").root()
	if n := len(all.Commands()); n != 33 {
		t.Fatalf("%d commands", n)
	}
	each(all, func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Example == "" && !cmd.Hidden {
			t.Errorf("%s has no short text or no example", cmd.CommandPath())
		}
		if cmd.Hidden {
			return
		}
		words := strings.Fields(cmd.CommandPath())[1:]
		one := newSession(append([]string{"--db", "x"}, words...)...).root()
		for _, word := range words {
			children := one.Commands()
			if len(children) != 1 || children[0].Name() != word {
				t.Fatalf("calling %s builds %d commands", cmd.CommandPath(), len(children))
			}
			one = children[0]
		}
	})
}
