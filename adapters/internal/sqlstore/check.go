package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// Check implements [storage.Store]. That a folder or a file is open to others is
// no damage and goes to Warn (STO-2). Of the folders only the one that the file
// is in counts. What fails because of damage that was found already is passed
// over, so that the damage is named (STO-5).
func (s *Store) Check(ctx context.Context) ([]string, error) {
	findings, err := s.damage(ctx)
	if err != nil {
		return nil, err
	}
	for _, look := range []func(*reader) ([]string, error){
		(*reader).missing, (*reader).orphans, (*reader).strays, (*reader).miscounts, (*reader).garbled, (*reader).unreadable,
		(*reader).outboxEntries, (*reader).outboxOrphans,
	} {
		found, err := s.find(ctx, look)
		code := domain.CodeOf(err)
		if explained := len(findings) > 0 && (code == domain.Corrupt || code == domain.Internal); err != nil && !explained {
			return nil, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// find looks for one kind of finding, in a unit of work of its own: the first
// failure ends it.
func (s *Store) find(ctx context.Context, look func(*reader) ([]string, error)) (found []string, err error) {
	err = s.View(ctx, func(r storage.Reader) (err error) {
		if ours, ok := r.(*reader); ok { // else there is no database
			found, err = look(ours)
		}
		return err
	})
	return found, err
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

// damage asks SQLite, which also finds values of a wrong type. Some damage ends
// the whole answer; then each table is asked about, so that it can be named.
func (s *Store) damage(ctx context.Context) ([]string, error) {
	var tables []string
	findings, err := s.find(ctx, func(r *reader) ([]string, error) {
		s.checkModes()
		tables = r.created("TABLE")
		return r.quickCheck("")
	})
	if domain.CodeOf(err) != domain.Corrupt {
		return findings, err
	}
	ended := 0
	for _, table := range tables {
		found, broken := s.find(ctx, func(r *reader) ([]string, error) { return r.quickCheck("(" + table + ")") })
		switch domain.CodeOf(broken) {
		case domain.Corrupt:
			ended++
			findings = append(findings, fmt.Sprintf("the file is damaged: the table %s cannot be read", table))
		case domain.Deadline, domain.Busy:
			return nil, broken
		}
		findings = append(findings, found...)
	}
	if ended == len(tables) || len(findings) == 0 {
		return nil, err // no table is to blame
	}
	return findings, nil
}

// quickCheck has SQLite check all tables or, in brackets, one. It answers several
// lines in one row, and begins them with the name of the database in SQLite.
func (r *reader) quickCheck(table string) ([]string, error) {
	var rows []string
	if err := r.t.list(&rows, "PRAGMA quick_check"+table); err != nil {
		return nil, err
	}
	if len(rows) == 1 && rows[0] == "ok" {
		return nil, nil
	}
	var findings []string
	for _, row := range rows {
		for line := range strings.Lines(row) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "***") {
				findings = append(findings, "the file is damaged: "+line)
			}
		}
	}
	return findings, nil
}

// created lists the names in the schema of a kind, TABLE or INDEX.
func (r *reader) created(kind string) (names []string) {
	for _, m := range migrations() {
		if m.version > r.t.schema {
			break
		}
		for _, words := range regexp.MustCompile(`CREATE `+kind+` (\w+)`).FindAllStringSubmatch(m.sql, -1) {
			names = append(names, words[1])
		}
	}
	return names
}

// missing names the tables and indexes of the schema that are not there.
func (r *reader) missing() ([]string, error) {
	var names []string
	if err := r.t.list(&names, "SELECT name FROM sqlite_schema"); err != nil {
		return nil, err
	}
	var findings []string
	for _, kind := range []string{"TABLE", "INDEX"} {
		for _, name := range r.created(kind) {
			if !slices.Contains(names, name) {
				findings = append(findings, fmt.Sprintf("the %s %s is missing", strings.ToLower(kind), name))
			}
		}
	}
	return findings, nil
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

// strays finds what the tables of version 4 keep beside rows that are not there: a
// constraint would cost every ack and every removal a look.
func (r *reader) strays() (findings []string, err error) {
	if !r.hasExtras() {
		return nil, nil
	}
	for _, look := range []struct{ query, finding string }{
		{`SELECT COUNT(*), COALESCE(MIN(n.item_id), 0) FROM note AS n
WHERE NOT EXISTS (SELECT 1 FROM ack AS a WHERE a.subscription_id = n.subscription_id AND a.item_id = n.item_id)`,
			"notes without their ack: %d, the first of item %d"},
		{`SELECT COUNT(*), COALESCE(MIN(e.item_id), 0) FROM expiry AS e
WHERE NOT EXISTS (SELECT 1 FROM item AS i WHERE i.id = e.item_id AND i.queue_id = e.queue_id)`,
			"times of expiry without their item: %d, the first of item %d"},
	} {
		var rows, first int64
		if _, err := r.t.row(look.query, nil, &rows, &first); err != nil {
			return nil, err
		}
		if rows > 0 {
			findings = append(findings, fmt.Sprintf(look.finding, rows, first))
		}
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

// garbledRow is a queue with items that nobody can read.
type garbledRow struct {
	Name  string `db:"name"`
	Items int64  `db:"items"`
	First int64  `db:"first"`
}

// garbled counts the items whose payload is no JSON (STO-5).
func (r *reader) garbled() ([]string, error) {
	var rows []garbledRow
	err := r.t.list(&rows, `
SELECT q.name, COUNT(*) AS items, MIN(i.id) AS first FROM item AS i JOIN queue AS q ON q.id = i.queue_id
WHERE NOT json_valid(i.payload) GROUP BY q.id ORDER BY q.name`)
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, row := range rows {
		findings = append(findings, fmt.Sprintf(
			"the queue %q has %d items whose payload is not JSON, the first with id %d", row.Name, row.Items, row.First))
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
