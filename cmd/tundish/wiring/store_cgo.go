//go:build cgo && !tundish_wasm

package wiring

import (
	"context"

	sqlitecgo "github.com/tundish-go/tundish/adapters/sqlite_cgo"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/ports"
)

func driver() cli.Driver {
	return cli.Driver{
		Name: "cgo",
		SQLite: func() string {
			_, version := sqlitecgo.Driver()
			return version
		},
		Open: func(ctx context.Context, path string, expressions ports.Expressions, warn func(string)) (cli.Store, error) {
			return sqlitecgo.Open(ctx, path, sqlitecgo.Options{Warn: warn, Expressions: expressions})
		},
	}
}
