//go:build !linux

package sqltest

import (
	"errors"
	"os/exec"
	"testing"
)

func mountSmall(string) error { return errors.ErrUnsupported }

func freeze(string) error { return errors.ErrUnsupported }

func withMounts(*exec.Cmd) {}

func asNobody(*exec.Cmd) {}

func own(*testing.T, string) {}
