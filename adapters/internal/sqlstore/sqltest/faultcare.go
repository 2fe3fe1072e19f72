package sqltest

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// caring are the use cases for the database as a whole, on one of its own. Archive
// is where the export goes.
func caring(archive *bytes.Buffer) []whole {
	return []whole{
		{name: "export", prepare: each(crew, belongings), do: func(ctx context.Context, sc *scene) error {
			archive.Reset()
			done, err := sc.inbox.Export(ctx, app.Export{}, archive)
			end := strings.Contains(archive.String(), `"type":"end"`)
			return first(err, unless(done.Items >= 6 && done.Subscriptions == 2 && end, "the export is cut"))
		}},
		{name: "import items", do: func(ctx context.Context, sc *scene) error {
			_, err := sc.inbox.ImportItems(ctx, bytes.NewReader(archive.Bytes()))
			return err
		}},
		{name: "vacuum", do: func(ctx context.Context, sc *scene) error { _, err := sc.inbox.Vacuum(ctx); return err }},
		{name: "back up", do: backUp(false), clears: true},
		{name: "back up over a backup", prepare: publish1("q", app.Message{}), do: backUp(true), clears: true},
		{
			name:    "purge",
			prepare: each(publish1("q", app.Message{}), schedule1(app.Message{Release: inbox.Moment{In: 1000}})),
			do: func(ctx context.Context, sc *scene) error {
				_, err := sc.inbox.Purge(ctx, app.Purge{Queue: "q"})
				return err
			},
			between: unscheduled, follows: true,
		},
		{name: "delete", do: func(ctx context.Context, sc *scene) error {
			_, err := sc.inbox.Delete(ctx, "jobs")
			return err
		}, follows: true},
		{name: "restore", do: restore, look: formerKept, follows: true, clears: true, ignores: []string{"exec PRAGMA wal_checkpoint(TRUNCATE)"}},
	}
}

// belongings adds what else a database can hold.
func belongings(ctx context.Context, sc *scene) error {
	return first(
		sc.ack(ctx, "jobs", "w1"), sc.ack(ctx, "all", "ann"),
		sc.publish(ctx, "q", app.Message{Dedupe: "build 9"}),
		schedule1(app.Message{Release: inbox.Moment{In: 1000}})(ctx, sc),
		lane(accept("ob_1"))(ctx, sc.store),
	)
}

func backUp(replace bool) acting {
	return func(ctx context.Context, sc *scene) error {
		done, err := sc.inbox.Backup(ctx, sc.copyPath(), replace)
		return first(err, unless(done.Items > 0 && done.Bytes > 0, "nothing was copied"))
	}
}

func restore(ctx context.Context, sc *scene) error {
	done, err := sc.inbox.Restore(ctx, sc.copyPath())
	return first(err, unless(done.Items > 0 && done.Held == 1 && done.Kept != "", "nothing was restored"))
}

// unscheduled tells whether rows are all that was there apart from what waited:
// the first of the steps of a purge.
func unscheduled(before, rows string) bool {
	own, _, _ := strings.Cut(before, "\n.copy\n")
	table := regexp.MustCompile(`(?m)^scheduled\n(\t.*\n)+`).FindString(own)
	return table != "" && rows == strings.Replace(before, table, "", 1)
}

// formerKept demands a copy of what was there before (CARE-3).
func formerKept(sc *scene, before string) {
	former, _, _ := strings.Cut(strings.TrimPrefix(before, "\n\n"), "\n.copy\n")
	copies, err := filepath.Glob(strings.TrimSuffix(sc.path, ".db") + ".before-restore*.db")
	sc.must("copies", err)
	if !slices.ContainsFunc(copies, func(path string) bool {
		return dumpTables(sc.Context(), sc, path, "no table", false) == former
	}) {
		sc.fault("of what was there, no copy is in %s; it was\n%s", copies, former)
	}
}

// importing fills a database that does not exist from an archive.
func importing(archive *bytes.Buffer) whole {
	return whole{name: "import", first: true, do: func(ctx context.Context, sc *scene) error {
		done, err := sc.inbox.Import(ctx, bytes.NewReader(archive.Bytes()))
		return first(err, unless(done.Items >= 6 && done.Subscriptions == 2 && done.Scheduled == 1, "not all was stored"))
	}}
}
