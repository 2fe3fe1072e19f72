package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// CMD-4: every code has its exit code, also when it is wrapped.
func TestCMD4_ExitCodes(t *testing.T) {
	want := map[domain.Code]int{domain.Invalid: 2, domain.NotFound: 2, domain.Claimed: 3}
	for code := domain.Internal; code <= domain.IO; code++ {
		exit, special := want[code]
		if !special {
			exit = 1
		}
		err := &domain.Error{Code: code, Text: "text"}
		for _, err := range []error{err, fmt.Errorf("wrapped: %w", err), toldError{err}} {
			if got := exitCode(err); got != exit {
				t.Errorf("code %d exits %d, want %d", code, got, exit)
			}
		}
	}
	if got := exitCode(nil); got != 0 {
		t.Errorf("no error exits %d", got)
	}
	if got := exitCode(errors.New("plain")); got != 1 {
		t.Errorf("an error without a code exits %d", got)
	}
}

// The list of guides and the files agree, and prime is short enough.
func TestDocs(t *testing.T) {
	files, err := fs.Glob(guides, "docs/*.md")
	if err != nil || len(files) != len(topics()) {
		t.Errorf("%d files and %d topics (%v)", len(files), len(topics()), err)
	}
	for _, g := range topics() {
		text := g.text()
		if !strings.HasPrefix(text, "# ") || !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
			t.Errorf("%s does not begin with a title, or end with one newline", g.topic)
		}
		if len(g.topic) > 20 {
			t.Errorf("%s is too long for the list", g.topic)
		}
	}
	if len(primeText) > 700 {
		t.Errorf("prime prints %d bytes", len(primeText))
	}
}

// The reference names every command and every flag.
func TestDocs_Reference(t *testing.T) {
	reference := guide{topic: "cli-reference"}.text()
	for _, cmd := range newSession("nothing").root().Commands() {
		if !cmd.Hidden && !strings.Contains(reference, "`"+cmd.Name()) {
			t.Errorf("cli-reference does not name %s", cmd.Name())
		}
	}
	for _, name := range append(ruleFlags(), "key", "key-jq", "dedupe", "lines", "json", "max-bytes", "timeout", "due", "unacked", "subscription", "db", "config", "now") {
		if !strings.Contains(reference, "--"+name) {
			t.Errorf("cli-reference does not name --%s", name)
		}
	}
}

// The guide to the outbox names every command of outbox with its flags and every key
// of the configuration, and is the same in the repository.
func TestDocs_Outbox(t *testing.T) {
	page := guide{topic: "outbox"}.text()
	for _, cmd := range newSession("nothing").outboxCommand().Commands() {
		if !strings.Contains(page, "`outbox "+cmd.Name()) {
			t.Errorf("the guide does not name %s", cmd.Name())
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !strings.Contains(page, "--"+flag.Name) {
				t.Errorf("the guide does not name %s --%s", cmd.Name(), flag.Name)
			}
		})
	}
	file, err := os.ReadFile("../../../../docs/outbox.md")
	if err != nil || string(file) != page {
		t.Errorf("docs/outbox.md is not what is bundled (%v)", err)
	}
}

// The short texts of the help look alike.
func TestHelp_Wording(t *testing.T) {
	root := newSession("nothing").root()
	commands := []*cobra.Command{root}
	each(root, func(cmd *cobra.Command) { commands = append(commands, cmd) })
	for _, cmd := range commands {
		if c := cmd.Short[:1]; c != strings.ToUpper(c) || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q", cmd.Name(), cmd.Short)
		}
		if cmd.Long != "" && !strings.HasSuffix(cmd.Long, ".") {
			t.Errorf("%s: the long text has no end: %q", cmd.Name(), cmd.Long)
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			value, text := pflag.UnquoteUsage(flag)
			if c := text[:1]; c != strings.ToLower(c) && !strings.HasPrefix(text, value) || strings.HasSuffix(text, ".") {
				t.Errorf("%s --%s: %q", cmd.Name(), flag.Name, text)
			}
		})
	}
	for _, g := range topics() {
		if strings.HasSuffix(g.about, ".") {
			t.Errorf("%s: %q", g.topic, g.about)
		}
	}
}

// The completions offer what the flags take.
func TestCompletions(t *testing.T) {
	cmd := newSession("nothing").subscribeCommand()
	for name, read := range map[string]func(string) error{
		"select": func(text string) error {
			_, err := choice("select", text, inbox.SinceLastRead, inbox.Latest)
			return err
		},
		"consume": func(text string) error { _, err := choice("consume", text, inbox.OnRead, inbox.OnAck); return err },
		"share":   func(text string) error { _, err := choice("share", text, inbox.All, inbox.One); return err },
		"start":   func(text string) error { _, err := choice("start", text, inbox.StartAll, inbox.StartNew); return err },
	} {
		offer, ok := cmd.GetFlagCompletionFunc(name)
		if !ok {
			t.Errorf("--%s is not completed", name)
			continue
		}
		values, _ := offer(cmd, nil, "")
		if len(values) != 2 {
			t.Errorf("--%s offers %q", name, values)
		}
		for _, value := range values {
			if err := read(value); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAssigns(t *testing.T) {
	for filter, want := range map[string]bool{
		".payload.x = 1": true, ".a=1": true, `.key = "x"`: true, `.a["=="] = "a=\"=b"`: true, `."a\(.b | "|")" = 1`: true,
		"": false, ".a": false, ".a == 1": false, ".a != 1": false, ".a <= 1 or .b >= 2": false, ".a |= 1": false, ".a += 1": false,
		".a //= 1": false, `.a == "x = y"`: false, `.a == "\(.b = 1)"`: false, "(.a = 1) | .b": false, ".a = 1 | .b == 2": false,
		"select(.a = 1)": false, "def f: .a = 1; f": false, `"open`: false, `"\(`: false, ".a == -1": false,
	} {
		if got := assigns(filter); got != want {
			t.Errorf("assigns(%q) = %t", filter, got)
		}
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"--as WHO": `\-\-as WHO`, ".payload.x": `\&.payload.x`, "a\n'b": "a\n" + `\&'b`, `"\(.x)"`: `"\e(.x)"`,
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCMD5_PayloadHint(t *testing.T) {
	for _, test := range []struct {
		text     string
		argument bool
		want     string
	}{
		{"", true, "single quotes"}, {" \n", true, "single quotes"}, {"", false, "standard input"},
		{"{a:1}", true, "quotation marks"}, {"[a]", true, "quotation marks"}, {"passed", true, `'"passed"'`},
		{"{a:1}", false, ""}, {`{"a":}`, true, ""}, {"'x'", true, ""}, {"{'a':1}", true, ""}, {"[01]", true, ""},
		{"no/such.json", true, "tundish publish 'my q' - <no/such.json"}, {"no such.json", true, "- <'no such.json'"},
		{"text_test.go", true, "- <text_test.go"}, {`{"a":x.json`, true, ""}, {"docs", true, `'"docs"'`},
	} {
		got := payloadHint("my q", test.text, test.argument)
		if !strings.Contains(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("hint for %q is %q, want %q", test.text, got, test.want)
		}
	}
}

func TestIDList(t *testing.T) {
	if got := idList([]int64{3, 5}); got != "3, 5" {
		t.Error(got)
	}
	if got := idList(make([]int64, 23)); !strings.HasSuffix(got, "0, 0 and 3 more") {
		t.Error(got)
	}
}
