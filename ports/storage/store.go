// Package storage says what the application needs from a store, in the words of
// domain/inbox: one role a file, facts only. No store decides a rule, reads a
// clock or makes up an id other than the next one. The suite in ports/porttest
// holds every implementation to these pages.
//
// Errors are *domain.Error values with the code that fits (Busy, Full,
// ReadOnly, Corrupt, …); when a context ended, they wrap its cause. Times are
// whole Unix seconds. Methods that return slices return them in the order that
// their comment gives; nothing found is an empty result, not an error.
package storage

import "context"

// Store is one database. It is safe for concurrent use by goroutines, and
// several stores on one place, in one process or many, see each other's commits.
type Store interface {
	// View runs fn on one consistent snapshot. On a place where no database
	// exists yet fn sees an empty one, and nothing is created (CMD-5).
	View(ctx context.Context, fn func(Reader) error) error
	// Update waits for the write lock, runs fn exactly once, and commits when fn
	// returns nil; it rolls back when fn fails or panics, or when ctx has ended
	// by then. A failed commit is returned and never retried. What Update has
	// returned nil for survives a power cut. The wait for the lock ends with ctx,
	// or after five seconds with code Busy (STO-1).
	Update(ctx context.Context, fn func(Writer) error) error
	// Check looks for damage and for rows that cannot be read, stored rules that
	// cannot be used among them, and describes each finding in a line fit for a
	// person that names the row; none means sound (STO-5).
	Check(ctx context.Context) ([]string, error)
	// Close frees what the store holds. No other call may run or follow.
	Close() error
}

// Reader is what a snapshot answers. It lives only as long as the fn it was
// given to, and belongs to one goroutine.
type Reader interface {
	ItemReader
	QueueReader
	SubscriptionReader
	BindingReader
	AckReader
	LeaseReader
	PublishReader
}

// Writer is a Reader that sees its own changes, and changes.
type Writer interface {
	Reader
	ItemWriter
	SubscriptionWriter
	BindingWriter
	ClaimWriter
	LeaseWriter
	PublishWriter
}
