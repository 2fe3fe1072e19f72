package app

import (
	"context"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Backup writes a consistent copy of the whole database, of both halves, to a new
// file at path, while others use it. With replace the file may exist, as long as it
// is not one of the database's own (CARE-2).
func (in *Inbox) Backup(ctx context.Context, path string, replace bool) (storage.Backup, error) {
	care, err := in.care()
	if err != nil {
		return storage.Backup{}, err
	}
	return care.Backup(ctx, path, replace)
}

// Restore puts what the copy at path holds in the place of all that the database
// holds, which is copied first. Workspaces of the outbox in which entries wait are
// parked: what was sent since the copy was made must not go out once more (CARE-3).
func (in *Inbox) Restore(ctx context.Context, path string) (storage.Restored, error) {
	care, err := in.care()
	if err != nil {
		return storage.Restored{}, err
	}
	return care.Restore(ctx, path, outbox.Hold{Reason: "restored from a backup", Since: in.clock.Now()})
}

// Vacuum writes the file of the database anew, so that nothing of what was deleted
// can be read in it or in its log (CARE-4).
func (in *Inbox) Vacuum(ctx context.Context) (storage.Vacuumed, error) {
	care, err := in.care()
	if err != nil {
		return storage.Vacuumed{}, err
	}
	return care.Vacuum(ctx)
}

func (in *Inbox) care() (storage.Care, error) {
	care, ok := in.store.(storage.Care)
	if !ok {
		return nil, &domain.Error{Code: domain.Unsupported, Text: "the store has no file", Remedy: "use a store on SQLite"}
	}
	return care, nil
}

// scrub is Vacuum after something was deleted; a store without a file keeps
// nothing that could be read.
func (in *Inbox) scrub(ctx context.Context) error {
	care, ok := in.store.(storage.Care)
	if !ok {
		return nil
	}
	_, err := care.Vacuum(ctx)
	return err
}
