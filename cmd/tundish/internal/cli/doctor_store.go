package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// database looks at the file and what is in it; false when there is nothing more
// to look at.
func (d *diagnosis) database(ctx context.Context, in *app.Inbox) bool {
	path := d.session.database
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		d.bad("database", "there is none at "+path+" yet", "the first message makes it: "+d.command("publish", "ci", `"hello"`))
		return false
	}
	found, err := in.Check(ctx)
	if err != nil {
		d.failed(err)
		return false
	}
	for _, line := range found {
		d.bad("database", line, "restore a backup, or take the sound items along: "+d.command("export", "inbox.ndjson"))
	}
	if len(found) == 0 {
		d.good("database", path+" is sound")
		d.good("schema", "this version of tundish can use it")
	}
	const much = 64 << 20
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > much {
		d.bad("database", fmt.Sprintf("its log has %d MiB: somebody reads it without end", log.Size()>>20), "end that process, then run "+d.command("vacuum"))
	}
	return true
}

// failed files an error of the store under what it is about.
func (d *diagnosis) failed(err error) {
	about := "database"
	switch domain.CodeOf(err) {
	case domain.Unsupported:
		about = "file system"
	case domain.Denied, domain.ReadOnly:
		about = "permissions"
	case domain.Newer:
		about = "schema"
	case domain.Busy:
		about = "locks"
	}
	d.bad(about, err.Error(), "")
}

// warned files what the store told. What others can only see is no more than a
// note, as it is to check; whether other machines use a shared file system cannot be
// known from here.
func (d *diagnosis) warned(lines []string) {
	for _, line := range lines {
		if what, remedy, shared := strings.Cut(line, ": use "); shared && strings.Contains(what, "file system") {
			d.add("file system", setup.Unknown, what, "use "+remedy)
			continue
		}
		what, remedy, _ := strings.Cut(line, "; ")
		state := setup.Bad
		var kind, path string
		var mode fs.FileMode
		if n, _ := fmt.Sscanf(line, "the %s %q has mode %o", &kind, &path, &mode); n == 3 {
			if mode&0o022 == 0 {
				state = setup.Note
			}
			if kind == "file" {
				remedy = "run chmod 0600 " + setup.ShellWord(path)
			}
		}
		d.add("permissions", state, what, remedy)
	}
}

// locks takes the write lock for a moment, and writes nothing.
func (d *diagnosis) locks(ctx context.Context, store Store) {
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	release := errors.New("only the lock was wanted")
	err := store.Update(ctx, func(storage.Writer) error { return release })
	switch {
	case err == nil, errors.Is(err, release):
		d.good("locks", "the write lock is free")
	case ctx.Err() != nil, domain.CodeOf(err) == domain.Busy:
		d.bad("locks", fmt.Sprintf("another process has held the write lock for %s", patience), "end that process, which this finds: fuser "+setup.ShellWord(d.session.database))
	default:
		d.failed(err)
	}
}

// clock compares the clock with the items: retention, leases and --every need
// one that goes forward.
func (d *diagnosis) clock(ctx context.Context, in *app.Inbox) error {
	now := d.session.Clock.Now()
	const earliest, slack = 1767225600, 60 // the year 2026; seconds
	if now.Unix() < earliest {
		d.bad("clock", "it says "+now.UTC().Format(time.DateTime)+", which is long ago", "set it")
		return nil
	}
	queues, err := in.Queues(ctx)
	if err != nil {
		return err
	}
	since := len(d.findings)
	for _, q := range queues {
		err := in.List(ctx, app.List{Queue: q.Queue, Limit: 1}, func(v app.ItemView) error {
			if v.CreatedAt > now.Unix()+slack {
				d.bad("clock", fmt.Sprintf("item %d is %d seconds from the future: the clock goes wrong now, or did then", v.ID, v.CreatedAt-now.Unix()), "set the clock")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.allGood(since, "clock", "no item is from the future")
	return nil
}
