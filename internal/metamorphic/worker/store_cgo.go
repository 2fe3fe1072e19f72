//go:build cgo && !tundish_wasm

package main

import (
	"context"

	sqlitecgo "github.com/tundish-go/tundish/adapters/sqlite_cgo"
	"github.com/tundish-go/tundish/ports/storage"
)

func open(ctx context.Context, path string) (storage.Store, error) {
	return sqlitecgo.Open(ctx, path, sqlitecgo.Options{})
}
