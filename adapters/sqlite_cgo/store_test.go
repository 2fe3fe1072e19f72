//go:build cgo

package sqlitecgo_test

import (
	"os"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore/sqltest"
	sqlitecgo "github.com/tundish-go/tundish/adapters/sqlite_cgo"
)

func TestMain(m *testing.M) { os.Exit(sqltest.Main(m, sqlitecgo.Open)) }

func TestStore(t *testing.T) { sqltest.Run(t, sqlitecgo.Open) }

func TestDriver(t *testing.T) {
	name, version := sqlitecgo.Driver()
	if name != "cgo" || len(version) < 5 || version[:2] != "3." {
		t.Errorf("Driver is %q, %q", name, version)
	}
}
