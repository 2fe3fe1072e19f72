package sqlitewasm_test

import (
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore/sqltest"
	"github.com/tundish-go/tundish/adapters/memory"
	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
	"github.com/tundish-go/tundish/ports/porttest"
	"github.com/tundish-go/tundish/ports/storage"
)

// oracle is the reference that random transcripts are compared with.
type oracle struct{ *memory.Place }

func (p oracle) Open(testing.TB) storage.Store { return p.Place.Open() }

func TestStorage(t *testing.T) {
	porttest.Run(t,
		func(t testing.TB) porttest.Place { return sqltest.NewPlace(t, sqlitewasm.Open) },
		func(testing.TB) porttest.Place { return oracle{memory.New()} })
}
