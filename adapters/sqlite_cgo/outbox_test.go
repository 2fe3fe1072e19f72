//go:build cgo

package sqlitecgo_test

import (
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore/sqltest"
	"github.com/tundish-go/tundish/adapters/memory"
	sqlitecgo "github.com/tundish-go/tundish/adapters/sqlite_cgo"
	"github.com/tundish-go/tundish/ports/porttest"
)

// push is a place seen from the push half, which the same file and store hold.
type push struct{ sqltest.Place }

func (p push) OpenOutbox(t testing.TB) porttest.OutboxStore {
	return p.Open(t).(porttest.OutboxStore)
}

// pushOracle is the reference for it.
type pushOracle struct{ *memory.Place }

func (p pushOracle) OpenOutbox(testing.TB) porttest.OutboxStore { return p.Open() }

func TestOutbox(t *testing.T) {
	porttest.RunOutbox(t,
		func(t testing.TB) porttest.OutboxPlace { return push{sqltest.NewPlace(t, sqlitecgo.Open)} },
		func(testing.TB) porttest.OutboxPlace { return pushOracle{memory.New()} })
}
