//go:build unix

package main

import (
	"os"
	"syscall"

	"github.com/tundish-go/tundish/domain"
)

// replace becomes another program, and returns only when that fails.
func replace(path string, args []string) (code int, err error) {
	err = syscall.Exec(path, append([]string{path}, args...), os.Environ())
	return 0, &domain.Error{Code: domain.IO, Text: path + " cannot be run", Err: err}
}
