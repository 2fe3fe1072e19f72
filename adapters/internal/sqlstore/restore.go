package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Restore implements [storage.Care].
//
// The copy is copied once more, to a file beside the database: that one can be
// brought into the schema of today and looked at in full, and nobody changes it
// meanwhile. Then one transaction empties all tables of the database and fills them
// from there, so that the file stays the same one for all who have it open.
func (s *Store) Restore(ctx context.Context, path string, hold outbox.Hold) (done storage.Restored, err error) {
	staged, err := s.stage(ctx, path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, staged.discard()) }()
	if err := s.patience().turn(ctx); err != nil {
		return done, err
	}
	defer func() { <-s.writer }()
	if err := s.level(ctx, staged); err != nil {
		return done, err
	}
	own, err := s.alone(ctx, "restore")
	if err != nil {
		return done, err
	}
	defer own.close()
	return s.replaceAll(ctx, own, staged, hold)
}

// stage makes a database of its own from what is at path, and checks it.
func (s *Store) stage(ctx context.Context, path string) (staged *Store, err error) {
	source, err := s.sibling(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if info, err := os.Stat(source.path); err == nil && s.isPart(info) {
		return nil, &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf("%q is the database itself", path), Remedy: "name a backup"}
	}
	if err := source.readable(ctx); err != nil {
		return nil, err
	}
	if err := makeFolder(filepath.Dir(s.path)); err != nil {
		return nil, placeError("make the folder of", s.path, err)
	}
	part, err := newPart(s.path)
	if err != nil {
		return nil, placeError("restore", s.path, err)
	}
	if staged, err = s.sibling(part); err != nil {
		return nil, errors.Join(err, os.Remove(part))
	}
	if err = source.copyInto(ctx, part, part); err == nil {
		err = staged.sound(ctx, path)
	}
	if err != nil {
		return nil, errors.Join(err, staged.discard())
	}
	return staged, nil
}

// sibling is a store on another file.
func (s *Store) sibling(path string) (*Store, error) {
	abs, err := resolve(path)
	if err != nil {
		return nil, fileError("read", path, err)
	}
	return &Store{driver: s.driver, opts: s.opts, path: abs, writer: make(chan struct{}, 1)}, nil
}

// readable refuses what is no database of ours, nor one of the old program, without
// changing it.
func (s *Store) readable(ctx context.Context) error {
	err := s.lookAt(ctx)
	var refused *domain.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case domain.Foreign:
		return &domain.Error{Code: refused.Code, Text: refused.Text, Remedy: madeByBackup}
	case domain.Corrupt:
		return &domain.Error{Code: refused.Code, Text: refused.Text, Err: refused.Err, Remedy: anotherBackup}
	}
	return err
}

const (
	madeByBackup  = "name a file that tundish backup made"
	anotherBackup = "restore another backup; nothing was changed"
)

func (s *Store) lookAt(ctx context.Context) error {
	there, err := s.exists()
	if err != nil {
		return err
	}
	if !there {
		return &domain.Error{Code: domain.NotFound, Text: fmt.Sprintf("there is no backup at %q", s.path), Remedy: madeByBackup}
	}
	sess, err := s.alone(ctx, "read")
	if err != nil {
		return err
	}
	defer sess.close()
	var found state
	err = s.patience().lock(ctx, "read", func() (err error) {
		found, _, err = s.look(ctx, sess, "BEGIN", inboxSchema)
		return err
	})
	if err != nil {
		return err
	}
	_ = sess.rollback(ctx)
	if found == empty {
		return s.foreign("holds no tables")
	}
	return nil
}

// sound takes over or migrates a staged copy, and looks for damage; name is what it
// is a copy of. Rows that were stored like that are as good as they were.
func (s *Store) sound(ctx context.Context, name string) error {
	s.opts.Warn = nil // about a file that is gone when the command ends
	if _, err := s.change(ctx, writing(inboxSchema), func(*tx) error { return nil }); err != nil {
		return err
	}
	findings, err := s.damage(ctx)
	for _, look := range []func(*reader) ([]string, error){(*reader).missing, (*reader).orphans, (*reader).miscounts} {
		if err != nil || len(findings) > 0 {
			break
		}
		findings, err = s.find(ctx, look)
	}
	if err == nil && len(findings) > 0 {
		err = &domain.Error{Code: domain.Corrupt, Text: strings.Join(findings[:min(3, len(findings))], "; ")}
	}
	switch domain.CodeOf(err) {
	case domain.Full, domain.IO, domain.Busy: // which another backup would meet too
		return err
	}
	if err == nil {
		return nil
	}
	return &domain.Error{
		Code: domain.CodeOf(err), Text: fmt.Sprintf("the backup %q cannot be used", name), Err: err,
		Remedy: anotherBackup,
	}
}

// discard removes a staged copy with all that belongs to it.
func (s *Store) discard() error {
	err := s.Close()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(s.path + suffix)
	}
	// What a take-over left there is a copy of the copy.
	if kept, globErr := filepath.Glob(globbed(s.path) + ".old-0.1.2*"); globErr == nil {
		for _, name := range kept {
			os.Remove(name)
		}
	}
	return err
}

// globbed spells a path so that it matches itself alone.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// level brings both databases into the same schema, the later one of the two, and
// makes this one if need be.
func (s *Store) level(ctx context.Context, staged *Store) error {
	version := int64(inboxSchema)
	for _, store := range []*Store{staged, s, staged} {
		t, err := store.begin(ctx, writing(version))
		if err != nil {
			return err
		}
		version = t.schema
		t.release()
	}
	return staged.Close()
}
