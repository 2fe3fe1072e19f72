//go:build cgo && !tundish_wasm

package main

import (
	"context"

	_ "github.com/mattn/go-sqlite3" // the driver by itself

	sqlitecgo "github.com/tundish-go/tundish/adapters/sqlite_cgo"
)

func openStore(ctx context.Context, path string) (place, error) {
	return sqlitecgo.Open(ctx, path, sqlitecgo.Options{})
}
