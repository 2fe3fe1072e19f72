//go:build !cgo || tundish_wasm

package wiring

import (
	"context"

	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/ports"
)

func driver() cli.Driver {
	return cli.Driver{
		Name: "wasm",
		SQLite: func() string {
			_, version := sqlitewasm.Driver()
			return version
		},
		Open: func(ctx context.Context, path string, expressions ports.Expressions, warn func(string)) (cli.Store, error) {
			return sqlitewasm.Open(ctx, path, sqlitewasm.Options{Warn: warn, Expressions: expressions})
		},
	}
}
