//go:build cgo

package sqlitecgo

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
)

// Store is a store on one SQLite file.
type Store = sqlstore.Store

// Options are what a store can be told.
type Options = sqlstore.Options

// Open prepares a store on the file at path, which need not exist; see
// [sqlstore.Open]. The first View or Update touches it.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	return sqlstore.Open(ctx, sqlstore.Driver{
		Name:      "sqlite3",
		Connector: newConnector,
		Classify:  classify,
	}, path, opts)
}

// Driver names the driver and the version of SQLite in it.
func Driver() (name, sqliteVersion string) {
	version, _, _ := sqlite3.Version()
	return "cgo", version
}

// connector makes connections to one file.
type connector struct {
	driver *sqlite3.SQLiteDriver
	dsn    string
}

// newConnector spells the path as a URI, the only form in which a path may hold
// any character and SQLite is told not to create the file. The driver would
// otherwise set synchronous to what it thinks best at every connection.
func newConnector(path string) (driver.Connector, error) {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: path}
	return connector{&sqlite3.SQLiteDriver{}, uri.String() + "?mode=rw&_synchronous=FULL&_busy_timeout=0"}, nil
}

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return c.driver.Open(c.dsn)
}

// Driver implements [driver.Connector].
func (c connector) Driver() driver.Driver { return c.driver }

// classify maps the primary codes of SQLite.
func classify(err error) domain.Code {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return domain.Internal
	}
	return sqlstore.PrimaryCode(int(e.Code))
}
