//go:build linux && (amd64 || arm64)

package interop_test

import (
	"regexp"
	"slices"
	"strings"
)

// place is where a command is killed: at the entry of one of its calls.
type place struct {
	n    int // counted from 0
	name string
}

// places names all calls of a run by what was done before them, and what is still
// to be done. Own is how many commits follow those of a migration; -1 without one.
func places(calls []call, db string, own int) []place {
	at := landmarks(calls, db, own)
	var all []place
	for i, c := range calls {
		var done []string
		switch {
		case i <= at.migration:
			done = []string{"in the migration"}
		case at.fold >= 0 && i >= at.fold && c.name != "exit" && c.fd != 1:
			done = []string{"in the checkpoint of the exit"}
		default:
			if at.flush >= 0 {
				done = append(done, map[bool]string{true: "before the flush", false: "after the flush"}[i <= at.flush])
			}
			switch {
			case at.commit < 0:
			case i <= at.last:
				done = append(done, "before the commit")
			case i <= at.commit:
				done = append(done, "in the commit")
			default:
				done = append(done, "after the commit")
			}
		}
		all = append(all, place{i, strings.Join(done, ", ") + ": " + c.what(db)})
	}
	return all
}

// marks are the places of what matters in a run, -1 if it never happens.
type marks struct {
	flush     int // the first write of output
	last      int // the last write to the log
	commit    int // the sync after it
	migration int // the sync after the last commit of a migration
	fold      int // the first call of a checkpoint
}

func landmarks(calls []call, db string, own int) marks {
	at := marks{-1, -1, -1, -1, -1}
	var commits []int
	for i, c := range calls {
		log, file, sync := c.path == db+"-wal", c.path == db, strings.HasSuffix(c.name, "sync")
		switch {
		case c.fd == 1 && at.flush < 0:
			at.flush = i
		case log && c.name == "pwrite64" && c.offset > 0:
			at.last, at.commit, at.fold = i, -1, -1
		case log && sync && at.last >= 0 && at.commit < 0:
			at.commit = i
			commits = append(commits, i)
		case at.fold < 0 && (log && sync || file && c.name == "pwrite64"):
			at.fold = i
		case own >= 0 && c.name == "unlink" && c.path == db+"-journal":
			commits = append(commits, i) // of a database without a log
		}
	}
	if own >= 0 && len(commits) > own {
		at.migration = commits[len(commits)-1-own]
	}
	return at
}

// needed are the names of places at which somebody must have been killed.
func needed() []string {
	return []string{
		"before the flush, before the commit: write of the output",
		"after the flush, before the commit: pwrite64 of the log",
		"after the flush, in the commit: f(data)?sync of the log",
		"after the flush, after the commit: exit",
		"before the flush, before the commit: pwrite64 of the log",
		"before the flush, in the commit: f(data)?sync of the log",
		"before the flush, after the commit: write of the output",
		"in the migration: pwrite64 of the log",
		"in the migration: f(data)?sync of the log",
		"in the migration: pwrite64 of t.db.old-0.1.2.part",
		"in the migration: rename of t.db.old-0.1.2.part",
		"in the checkpoint of the exit: pwrite64 of the database",
		"in the checkpoint of the exit: f(data)?sync of the database",
		"in the checkpoint of the exit: unlink of the log",
	}
}

func isNeeded(name string) bool {
	return slices.ContainsFunc(needed(), func(must string) bool { return regexp.MustCompile("^" + must + "$").MatchString(name) })
}

// someOf leaves the first place of each name that is needed.
func someOf(all []place) []place {
	var some []place
	seen := map[string]bool{}
	for _, p := range all {
		if isNeeded(p.name) && !seen[p.name] {
			some = append(some, p)
		}
		seen[p.name] = true
	}
	return some
}
