package worker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/domain"
)

// OUT-15: secrets come from the environment, or from a file that is read anew for
// each send.
func TestOUT15_Secrets(t *testing.T) {
	env := map[string]string{}
	r := receivers{lookup: func(name string) (string, bool) { value, found := env[name]; return value, found }}
	want := func(token, user, password string) {
		t.Helper()
		if got, err := r.token(); err != nil || got != token {
			t.Errorf("the token is %q, %v; want %q", got, err, token)
		}
		if u, p, err := r.login(); err != nil || u != user || p != password {
			t.Errorf("the login is %q, %q, %v; want %q, %q", u, p, err, user, password)
		}
	}
	want("", "", "")
	path := filepath.Join(t.TempDir(), "token")
	env[varTokenFile] = path
	if _, err := r.token(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	for _, token := range []string{"one", "two"} {
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want(token, "", token)
	}
	env[varToken], env[varUser] = " three\n", "ann"
	want("three", "ann", "three")
	env[varPassword] = "four"
	want("three", "ann", "four")
	delete(env, varToken)
	if err := os.WriteFile(path, []byte(strings.Repeat("secret", maxTokenBytes)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.token(); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a huge file gives %v", err)
	}
}

// OUT-15, OUT-16: every form makes its kind, and a verifier judges that kind only.
func TestOUT16_Receivers(t *testing.T) {
	r := receivers{lookup: func(string) (string, bool) { return "", false }}
	for form, rest := range map[string]string{
		cli.FormExec: "cat", cli.FormHTTP: "https://localhost/", cli.FormOpencode: "http://localhost:1", cli.FormInbox: "q",
	} {
		made, err := r.Deliverer(form, rest)
		if err != nil || made.Kind() != form {
			t.Errorf("%s:%s makes %v, %v", form, rest, made, err)
		}
	}
	for form, bad := range map[string]string{
		cli.FormExec: "a\x00b", cli.FormHTTP: "http://u:p@h/", cli.FormOpencode: "http://h/?q", cli.FormInbox: "a\nb", "smtp": "x",
	} {
		if made, err := r.Deliverer(form, bad); err == nil || made != nil {
			t.Errorf("%s:%s makes %v, %v", form, bad, made, err)
		}
		if made, err := r.Verifier(form, bad, "exec"); err == nil || made != nil {
			t.Errorf("%s:%s makes the verifier %v, %v", form, bad, made, err)
		}
	}
	if v, err := r.Verifier(cli.FormExec, "cat", "http"); err != nil || v.Kind() != "http" {
		t.Errorf("a program verifies %v, %v", v, err)
	}
	if v, err := r.Verifier(cli.FormOpencode, "http://localhost:1", "exec"); err != nil || v.Kind() != "opencode" {
		t.Errorf("opencode verifies %v, %v", v, err)
	}
	if probe, err := r.Ledger(" "); err == nil || probe != nil {
		t.Errorf("an empty ledger gives %v", err)
	}
}

// OUT-15, OUT-16: a token that is empty, or whose file cannot be read, is refused
// before a worker begins, and the error names the variable; a program that is not
// there is a warning.
func TestOUT16_Check(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, value, want string }{
		{varToken, "", varToken + " is set and empty"},
		{varToken, " \n", varToken + " is set and empty"},
		{varTokenFile, "", varTokenFile + " is set and empty"},
		{varTokenFile, empty, "the file of " + varTokenFile + " is empty"},
		{varTokenFile, empty + "-not", "the file of " + varTokenFile + " cannot be read: open "},
		{varToken, "secret", ""},
		{"", "", ""},
	} {
		r := receivers{lookup: func(name string) (string, bool) {
			if name != test.name {
				return "", false
			}
			return test.value, true
		}}
		for form, rest := range map[string]string{cli.FormHTTP: "http://localhost/", cli.FormOpencode: "http://localhost:1"} {
			warning, err := r.Check(form, rest)
			if warning != "" || (err == nil) != (test.want == "") || err != nil && (!strings.HasPrefix(err.Error(), test.want) || domain.CodeOf(err) != domain.Invalid) {
				t.Errorf("%s with %s=%q: %q, %v", form, test.name, test.value, warning, err)
			}
		}
		if warning, err := r.Check(cli.FormInbox, "q"); warning != "" || err != nil {
			t.Errorf("a queue needs no token: %q, %v", warning, err)
		}
	}
	var r receivers
	for rest, want := range map[string]string{
		" sh  -c x": "", "no-such-program x": `the program "no-such-program" cannot be run now: `, empty: "cannot be run now: ",
	} {
		warning, err := r.Check(cli.FormExec, rest)
		if err != nil || (warning == "") != (want == "") || !strings.Contains(warning, want) {
			t.Errorf("exec:%s: %q, %v", rest, warning, err)
		}
	}
}
