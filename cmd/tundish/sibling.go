package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// become runs another of our programs in the place of this one: linking what it
// holds would cost every start of a short process. Its name is this one's with a
// suffix.
func become(suffix string, args []string) (code int, err error) {
	own, err := os.Executable()
	if err != nil {
		own = "tundish"
	}
	if path, err := filepath.EvalSymlinks(own); err == nil {
		own = path
	}
	path, err := findSibling(own, suffix)
	if err != nil {
		return 0, err
	}
	return replace(path, args)
}

// findSibling looks for a program beside this one and named after it, or on PATH.
// One that is this program itself would call itself for ever.
func findSibling(own, suffix string) (string, error) {
	extension := ""
	if runtime.GOOS == "windows" {
		extension = ".exe"
	}
	beside := strings.TrimSuffix(own, extension) + "-" + suffix + extension
	for _, name := range []string{beside, "tundish-" + suffix} {
		path, err := exec.LookPath(name)
		if (err == nil || errors.Is(err, exec.ErrDot)) && !same(path, own) {
			return path, nil
		}
	}
	return "", &domain.Error{
		Code: domain.IO, Text: "the program that " + task(suffix) + " is missing: there is neither " + beside + " nor tundish-" + suffix + " on PATH",
		Remedy: "build it with make build, or put it beside tundish",
	}
}

// task says what a sibling is for.
func task(suffix string) string {
	if suffix == "outbox" {
		return "delivers"
	}
	return "serves tools"
}

func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
