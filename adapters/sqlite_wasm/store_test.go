package sqlitewasm_test

import (
	"os"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore/sqltest"
	sqlitewasm "github.com/tundish-go/tundish/adapters/sqlite_wasm"
)

func TestMain(m *testing.M) { os.Exit(sqltest.Main(m, sqlitewasm.Open)) }

func TestStore(t *testing.T) { sqltest.Run(t, sqlitewasm.Open) }

func TestDriver(t *testing.T) {
	name, version := sqlitewasm.Driver()
	if name != "wasm" || len(version) < 5 || version[:2] != "3." {
		t.Errorf("Driver is %q, %q", name, version)
	}
}
