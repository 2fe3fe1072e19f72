package sqlstore

import (
	"database/sql/driver"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports"
)

// Driver is what the store needs to know about a database/sql driver of SQLite.
type Driver struct {
	// Name is the name of the driver, for [sqlx.Open] and for error texts.
	Name string
	// Connector gives connections to the file at an absolute path, which must
	// exist: they never create it.
	Connector func(path string) (driver.Connector, error)
	// Classify gives the code that fits an error of the driver, by its primary
	// code; Internal for an error that is not the driver's or says nothing more.
	Classify func(err error) domain.Code
}

// Options are what a store can be told. The zero value is usable.
type Options struct {
	// Warn takes notices for a person, one line each without a newline, such as
	// that a database was taken over (STO-6). It may be called from any
	// goroutine that uses the store. Nil drops them.
	Warn func(line string)
	// Expressions evaluates filters while a database of the old program is taken
	// over: only items that the filter matches count as shown (STO-6). With nil
	// every item does.
	Expressions ports.Expressions
}

func (o Options) warn(line string) {
	if o.Warn != nil {
		o.Warn(line)
	}
}
