package storage

import (
	"context"

	"github.com/tundish-go/tundish/domain/outbox"
)

// Care looks after the file of a store, and so of both halves. A store without a
// file does not offer it. It is safe for concurrent use, also by other processes,
// and each method leaves what was there before or all of what it promises, even
// if it is killed (CARE-2, CARE-3).
//
// Where no database exists yet, Backup and Vacuum answer with code NotFound.
type Care interface {
	// Backup writes a consistent copy of the database to a new file at path, for
	// its owner only, while others read and write. What is at path stays, with
	// code Invalid, unless replace is set; and even then, with that code, when it
	// is part of this database, no file, or a database with a log beside it.
	Backup(ctx context.Context, path string, replace bool) (Backup, error)
	// Restore puts everything that a copy at path holds in the place of all that
	// the database holds, in one unit of work. A copy that is damaged or not ours
	// is refused; path itself is not changed. Ids that were ever given by either
	// are not given anew (OBJ-1). The workspaces in which entries wait are held,
	// as hold says, since the copy may be older than what became of them.
	Restore(ctx context.Context, path string, hold outbox.Hold) (Restored, error)
	// Vacuum writes the file anew, without free room, and empties the log, so that
	// nothing of what was deleted can be read in either (CARE-4). With code Busy,
	// the log may still hold it.
	Vacuum(ctx context.Context) (Vacuumed, error)
}

// Backup is what a copy holds.
type Backup struct {
	Items int64
	Bytes int64 // of its file
}

// Restored is what a database holds now, and where its former self is.
type Restored struct {
	Items int64
	Kept  string // path of a copy of all that was there before; empty when there was nothing
	Held  int64  // workspaces that were held
}

// Vacuumed is the size of the file and of its log, in bytes.
type Vacuumed struct {
	Before, After int64
}
