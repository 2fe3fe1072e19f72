package sqlitewasm

import (
	"testing"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/adapters/internal/sqlstore/sqltest"
)

// STO-4, STO-5: every operation of the driver fails once, in every way.
func TestSTO4_STO5_Faults(t *testing.T) {
	sqltest.RunFaults(t, sqltest.Faulty{
		Driver: sqlstore.Driver{Name: "sqlite3", Connector: newConnector, Classify: classify},
		Error:  func(code int) error { return sqlite3.ErrorCode(code) },
	})
}

// STO-5: what is spoiled is named, and no error of SQLite comes out bare.
func TestSTO5_DamageIsNamed(t *testing.T) { sqltest.RunDamage(t, Open) }

// OUT-3: whatever the outbox asks for is found by an index.
func TestOUT3_Plans(t *testing.T) {
	sqltest.RunPlans(t, sqlstore.Driver{Name: "sqlite3", Connector: newConnector, Classify: classify})
}

// TIME-10: what has to do with times is found by an index, and costs nothing where it
// is not used.
func TestTIME10_Plans(t *testing.T) {
	sqltest.RunTimePlans(t, sqlstore.Driver{Name: "sqlite3", Connector: newConnector, Classify: classify})
}
