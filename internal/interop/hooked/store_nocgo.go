//go:build unix && (!cgo || tundish_wasm)

package main

import (
	"context"

	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
)

func open(ctx context.Context, path string) (*sqlitewasm.Store, error) {
	return sqlitewasm.Open(ctx, path, sqlitewasm.Options{})
}
