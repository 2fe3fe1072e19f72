//go:build !cgo || tundish_wasm

package main

import (
	"context"

	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
	"github.com/tundish-go/tundish/ports/storage"
)

func open(ctx context.Context, path string) (storage.Store, error) {
	return sqlitewasm.Open(ctx, path, sqlitewasm.Options{})
}
