package sqlitewasm

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"

	sqlite3 "github.com/ncruces/go-sqlite3"
	sqlitedriver "github.com/ncruces/go-sqlite3/driver"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
)

// Store is a store on one SQLite file.
type Store = sqlstore.Store

// Options are what a store can be told.
type Options = sqlstore.Options

// Open prepares a store on the file at path, which need not exist; see
// [sqlstore.Open]. The first View or Update touches it. On a platform where the
// driver locks files in another way than other SQLite programs, Open fails with
// code Unsupported, since sharing a database would then damage it (STO-9).
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	if !sharesLocks {
		return nil, &domain.Error{
			Code:   domain.Unsupported,
			Text:   "this build of tundish locks databases in a way that other SQLite programs do not see",
			Remedy: "use the build with cgo on this platform",
		}
	}
	return sqlstore.Open(ctx, sqlstore.Driver{
		Name:      "sqlite3",
		Connector: newConnector,
		Classify:  classify,
	}, path, opts)
}

// Driver names the driver and the version of SQLite in it; the version is empty
// if SQLite does not start.
func Driver() (name, sqliteVersion string) {
	name = "wasm"
	conn, err := sqlite3.Open(":memory:")
	if err != nil {
		return name, ""
	}
	defer conn.Close()
	stmt, _, err := conn.Prepare("SELECT sqlite_version()")
	if err != nil {
		return name, ""
	}
	defer stmt.Close()
	if stmt.Step() {
		sqliteVersion = stmt.ColumnText(0)
	}
	return name, sqliteVersion
}

// newConnector spells the path as a URI, the only form in which a path may hold
// any character and SQLite is told not to create the file. The store begins its
// transactions itself, so that the driver's own lock mode does not matter.
func newConnector(path string) (driver.Connector, error) {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: path}
	return (&sqlitedriver.SQLite{}).OpenConnector(uri.String() + "?mode=rw&_txlock=immediate&_pragma=busy_timeout(0)")
}

// classify maps the primary codes of SQLite.
func classify(err error) domain.Code {
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) {
		return domain.Internal
	}
	return sqlstore.PrimaryCode(int(code))
}
