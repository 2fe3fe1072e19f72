//go:build !cgo || tundish_wasm

package main

import (
	"context"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver by itself

	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
)

func openStore(ctx context.Context, path string) (place, error) {
	return sqlitewasm.Open(ctx, path, sqlitewasm.Options{})
}
