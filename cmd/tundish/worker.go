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

// runWorker runs the program that delivers in the place of this one: linking what
// delivers would cost every start of a short process.
func runWorker(args []string) (code int, err error) {
	own, err := os.Executable()
	if err != nil {
		own = "tundish"
	}
	if path, err := filepath.EvalSymlinks(own); err == nil {
		own = path
	}
	path, err := findWorker(own)
	if err != nil {
		return 0, err
	}
	return replace(path, args)
}

// findWorker looks for the worker's program: beside this one and named after it,
// or on PATH. One that is this program itself would call itself for ever.
func findWorker(own string) (string, error) {
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	beside := strings.TrimSuffix(own, suffix) + "-outbox" + suffix
	for _, name := range []string{beside, "tundish-outbox"} {
		path, err := exec.LookPath(name)
		if (err == nil || errors.Is(err, exec.ErrDot)) && !same(path, own) {
			return path, nil
		}
	}
	return "", &domain.Error{
		Code: domain.IO, Text: "the program that delivers is missing: there is neither " + beside + " nor tundish-outbox on PATH",
		Remedy: "build it with make build, or put it beside tundish",
	}
}

func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
