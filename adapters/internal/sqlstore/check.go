package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tundish-go/tundish/ports/storage"
)

// Check implements [storage.Store]. That a folder or a file is open to others is
// no damage and goes to Warn (STO-2). Of the folders only the one that the file
// is in counts.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	var findings []string
	err := s.View(ctx, func(r storage.Reader) error {
		ours, ok := r.(*reader)
		if !ok {
			return nil // there is no database
		}
		s.checkModes()
		for _, check := range []func() ([]string, error){
			ours.damage, ours.orphans, ours.miscounts, ours.unreadable,
		} {
			found, err := check()
			if err != nil {
				return err
			}
			findings = append(findings, found...)
		}
		return nil
	})
	return findings, err
}

func (s *Store) checkModes() {
	s.checkFolder(filepath.Dir(s.path))
	for _, path := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			s.opts.warn(fmt.Sprintf("the file %q has mode %04o, which lets others at your items; chmod %04o makes it private",
				path, info.Mode().Perm(), fileMode))
		}
	}
}

// checkFolder tells when others get into the database's folder. One with the
// sticky bit, such as /tmp, is shared on purpose, and only the owner of a file
// may rename or remove it there.
func (s *Store) checkFolder(path string) {
	const others, othersWrite = 0o077, 0o022
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeSticky != 0 || info.Mode().Perm()&others == 0 {
		return
	}
	danger := "others can see that there is a database"
	if info.Mode().Perm()&othersWrite != 0 {
		danger = "others could replace the database by a file of theirs"
	}
	s.opts.warn(fmt.Sprintf("the folder %q has mode %04o: %s; a folder of its own with mode %04o is private",
		path, info.Mode().Perm(), danger, folderMode))
}

// damage asks SQLite, which also finds values of a wrong type.
func (r *reader) damage() ([]string, error) {
	var lines []string
	if err := r.t.list(&lines, "PRAGMA quick_check"); err != nil {
		return nil, err
	}
	if len(lines) == 1 && lines[0] == "ok" {
		return nil, nil
	}
	return lines, nil
}

// orphanRow is what SQLite tells about a row that refers to nothing.
type orphanRow struct {
	Table  string `db:"table"`
	RowID  *int64 `db:"rowid"`
	Parent string `db:"parent"`
	Key    int64  `db:"fkid"`
}

func (r *reader) orphans() ([]string, error) {
	var rows []orphanRow
	if err := r.t.list(&rows, "PRAGMA foreign_key_check"); err != nil {
		return nil, err
	}
	var findings []string
	for _, row := range rows {
		findings = append(findings, fmt.Sprintf("a row of table %s refers to a missing row of table %s", row.Table, row.Parent))
	}
	return findings, nil
}

// countRow is what a queue's row says, and what is true.
type countRow struct {
	Name    string `db:"name"`
	Kept    int64  `db:"kept"`
	Newest  int64  `db:"newest_id"`
	NextSeq int64  `db:"next_seq"`
	Items   int64  `db:"items"`
	Last    int64  `db:"last"`
	LastSeq int64  `db:"last_seq"`
}

func (r *reader) miscounts() ([]string, error) {
	var rows []countRow
	err := r.t.list(&rows, `
SELECT q.name, q.kept, q.newest_id, q.next_seq,
  COUNT(i.id) AS items, COALESCE(MAX(i.id), 0) AS last, COALESCE(MAX(i.seq), 0) AS last_seq
FROM queue AS q LEFT JOIN item AS i ON i.queue_id = q.id GROUP BY q.id ORDER BY q.name`)
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, row := range rows {
		if row.Kept != row.Items || row.Newest != row.Last || row.NextSeq <= row.LastSeq {
			findings = append(findings, fmt.Sprintf(
				"the counters of queue %q say %d items up to id %d, but it has %d up to id %d",
				row.Name, row.Kept, row.Newest, row.Items, row.Last))
		}
	}
	return findings, nil
}

// unreadable names the subscriptions whose rules cannot be used (STO-5).
func (r *reader) unreadable() ([]string, error) {
	subs, err := r.Subscriptions()
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, sub := range subs {
		if sub.Broken != "" {
			findings = append(findings, fmt.Sprintf("subscription %q: %s", sub.Name, sub.Broken))
		}
	}
	return findings, nil
}
