//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"

	"github.com/tundish-go/tundish/domain"
)

// replace runs another program with this one's files, and returns its exit code.
// Both get what a console sends to end them.
func replace(path string, args []string) (code int, err error) {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode(), nil
	}
	if err != nil {
		return 0, &domain.Error{Code: domain.IO, Text: path + " cannot be run", Err: err}
	}
	return 0, nil
}
