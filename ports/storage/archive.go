package storage

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
)

// Archive reads and writes the inbox as a whole. Its units of work are those of
// [Store], with more to ask and to tell.
type Archive interface {
	// ViewArchive is View.
	ViewArchive(ctx context.Context, fn func(ArchiveReader) error) error
	// UpdateArchive is Update.
	UpdateArchive(ctx context.Context, fn func(ArchiveWriter) error) error
}

// ArchiveReader reads what no use case of every day asks for.
type ArchiveReader interface {
	Reader
	// All hands over the items of all queues, by id, as Scan does.
	All(yield func(inbox.Item) (bool, error)) error
	// ShownOn lists the marks on the given items, by item, subscription, then
	// subscriber.
	ShownOn(items []int64) ([]inbox.Shown, error)
	// Dedupes hands over the publishers' own ids of a queue, or of all when it is
	// empty, by queue, then id, until yield answers an error, which Dedupes returns.
	// Yield calls no method of the reader.
	Dedupes(queue string, yield func(inbox.Dedupe) error) error
	// Last answers the highest numbers that were ever given.
	Last() (inbox.Last, error)
}

// ArchiveWriter stores what was an inbox before.
type ArchiveWriter interface {
	Writer
	ArchiveReader
	// Replant stores an item under its own id, which is higher than that of every
	// item that is kept.
	Replant(item inbox.Item) error
	// Reschedule stores a message under its own number, which no other has.
	Reschedule(s inbox.Scheduled) error
	// RaiseLast makes numbers that are given from now on higher than these; it
	// never lowers what Last answers.
	RaiseLast(last inbox.Last) error
}
