//go:build !unix

package config

import "os"

func open(path string) (*os.File, error) { return os.Open(path) }
