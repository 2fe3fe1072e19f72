//go:build unix && cgo && !tundish_wasm

package main

import (
	"context"

	sqlitecgo "github.com/tundish-go/tundish/adapters/sqlite_cgo"
)

func open(ctx context.Context, path string) (*sqlitecgo.Store, error) {
	return sqlitecgo.Open(ctx, path, sqlitecgo.Options{})
}
