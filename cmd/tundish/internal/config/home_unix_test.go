//go:build unix && !darwin

package config

import (
	"os"
	"strings"
	"testing"
)

func TestCFG1_PasswdHome(t *testing.T) {
	const passwd = "# comment:x:7:7::/wrong:\nroot:x:0:0:root:/root:/bin/sh\nshort:x:7\n\nann:x:7:100:Ann,,,:/home/ann:/bin/zsh\nbob:x:77:100::/home/bob:\n"
	for uid, want := range map[int]string{0: "/root", 7: "/home/ann", 77: "/home/bob", 8: ""} {
		if got := passwdHome(strings.NewReader(passwd), uid); got != want {
			t.Errorf("home of %d is %q, want %q", uid, got, want)
		}
	}
}

// The passwd entry decides; the environment is for users without one.
func TestCFG1_Home(t *testing.T) {
	file, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Skip("this system has no passwd file")
	}
	want := passwdHome(strings.NewReader(string(file)), os.Getuid())
	if want == "" {
		want = "/from/environment"
	}
	t.Setenv("HOME", "/from/environment")
	if got, err := Home(); err != nil || got != want {
		t.Errorf("Home() = %q, %v, want %q", got, err, want)
	}
	if got, err := homeOr(""); err != nil || got != "/from/environment" {
		t.Errorf("without an entry: %q, %v", got, err)
	}
	for _, bad := range []string{"", "not/absolute"} {
		t.Setenv("HOME", bad)
		if got, err := homeOr(""); err == nil || !strings.Contains(err.Error(), "--db") {
			t.Errorf("with HOME=%q and no entry: %q, %v", bad, got, err)
		}
	}
}
