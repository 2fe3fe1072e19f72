//go:build unix

package hosts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("TUNDISH_HOSTS") != "" {
		if err := isolate(); err != nil {
			fmt.Fprintln(os.Stderr, "hosts: no network of its own here, so nothing but the hosts' settings keeps them from the internet:", err)
		}
	}
	os.Exit(m.Run())
}

// isolate starts the test binary again in a network that holds only loopback. It
// returns when that cannot be had, and when it is done.
func isolate() error {
	const marked, loopback = "TUNDISH_HOSTS_ISOLATED", "ip link set lo up"
	if os.Getenv(marked) != "" {
		return nil
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		return err
	}
	if out, err := exec.Command(unshare, "-rn", "sh", "-c", loopback).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := append([]string{unshare, "-rn", "sh", "-c", loopback + ` && exec "$@"`, "sh", self}, os.Args[1:]...)
	return syscall.Exec(unshare, args, append(os.Environ(), marked+"=1"))
}

// installed is the folder of the hosts. Without one there is nothing to check.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TUNDISH_HOSTS")
	if dir == "" {
		t.Skip("TUNDISH_HOSTS names no folder of hosts: run make hosts")
	}
	return absolute(t, dir)
}

// need is the path of an installed host's file that matches a pattern. Of several it
// is the one with the shortest path: the others are of packages for older processors
// and other C libraries.
func need(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(installed(t), pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("a host is not installed: nothing matches %s in %s (%v)", pattern, installed(t), err)
	}
	return slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) })
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
