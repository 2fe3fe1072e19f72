//go:build !unix

package mcp

import (
	"io"
	"os"
	"sync/atomic"
)

// input is standard input. Here a read that waits cannot be ended; the end of the
// process does.
type input struct {
	file    *os.File
	stopped atomic.Bool
}

func newInput(file *os.File) (*input, error) { return &input{file: file}, nil }

func (i *input) Read(p []byte) (int, error) {
	if i.stopped.Load() {
		return 0, io.EOF
	}
	return i.file.Read(p)
}

func (i *input) stop() { i.stopped.Store(true) }

func (i *input) free() { i.stop() }
