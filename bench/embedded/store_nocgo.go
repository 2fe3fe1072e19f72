//go:build !cgo || tundish_wasm

package main

import (
	"context"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver by itself

	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
	"github.com/tundish-go/tundish/ports/storage"
)

func openStore(ctx context.Context, path string) (storage.Store, error) {
	return sqlitewasm.Open(ctx, path, sqlitewasm.Options{})
}
