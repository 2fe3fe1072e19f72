package setup

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Change is what is to become of one host's file. Nothing has happened yet.
type Change struct {
	Path    string // the file, as the host names it
	Backup  string // the copy of the file that Apply makes, or gives back; empty: none
	Edited  string // the copy that Apply makes of what was written by hand into what is ours and goes now; empty: none
	Was     string // whom the hook was for, if that was somebody else
	Removes bool   // the file goes
	Private string // why the file has to be the user's alone; empty when it has not

	// Of removals: whom the hooks are for, their flags as in Report, and the copy
	// that stays, since the file is not what init made of it.
	Whose []string
	Flags []string
	Stays string

	file    file
	after   []byte
	mode    fs.FileMode
	saves   bool // Backup is written
	returns bool // Backup becomes the file again
	drops   bool // Backup, which is like the file, goes
}

// Nothing tells that all is in place already.
func (c *Change) Nothing() bool {
	return !c.Removes && !c.returns && !c.drops && c.file.exists == (c.after != nil) && bytes.Equal(c.file.text, c.after) &&
		(!c.file.exists || c.mode == c.file.mode)
}

// Text is the file as it will be; nil when it goes.
func (c *Change) Text() []byte { return c.after }

// Diff shows the change as a unified diff; empty when the text stays.
func (c *Change) Diff() string {
	from, to := c.Path, c.Path
	if !c.file.exists {
		from = os.DevNull
	}
	if c.after == nil {
		to = os.DevNull
	}
	return diff(from, to, c.file.text, c.after)
}

// Mode is what the permissions of the file become, if they change.
func (c *Change) Mode() (mode fs.FileMode, changes bool) {
	return c.mode, c.file.exists && c.after != nil && c.mode != c.file.mode
}

// Plan finds out how the hook gets into the host's file (SETUP-1). A file that
// cannot be used is an error that names line and column.
func Plan(h Host, p Place, words []string) (*Change, error) {
	f, err := h.open(p)
	if err != nil {
		return nil, err
	}
	there, err := h.editor.find(f.text)
	if err != nil {
		return nil, broken(f.path, err)
	}
	after, err := h.editor.set(f.text, words)
	if err != nil {
		return nil, broken(f.path, err)
	}
	c := &Change{Path: f.path, file: f, after: after, mode: h.mode(p, f)}
	if len(there) > 0 && Subscriber(there[0].words) != Subscriber(words) {
		c.Was = Subscriber(there[0].words)
	}
	if h.private {
		c.Private = h.Title + " refuses a file that others may read or write"
	}
	// A file with hooks of ours is not how it was before (SETUP-4).
	if f.exists && len(there) == 0 && !bytes.Equal(after, f.text) {
		c.saves, c.Backup = true, f.backup()
	}
	return c, c.keep(h)
}

// keep sees to a copy of the file if the change loses what somebody wrote into what
// is ours (SETUP-4).
func (c *Change) keep(h Host) (err error) {
	if c.file.exists && h.editor.loses(c.file.text, c.after) {
		c.Edited, err = c.file.spare()
	}
	return err
}

// mode is what the permissions of a host's file are to be.
func (h Host) mode(p Place, f file) fs.FileMode {
	switch {
	case f.exists && !h.private:
		return f.mode
	case p.Project:
		return 0o644 // to be shared with the project
	}
	return 0o600
}

// Undo finds out how the hooks of ours get out of the host's file again (SETUP-5).
func Undo(h Host, p Place) (*Change, error) {
	f, err := h.open(p)
	if err != nil {
		return nil, err
	}
	there, err := h.editor.find(f.text)
	if err != nil {
		return nil, broken(f.path, err)
	}
	before, err := readFile(f.backup())
	if err != nil {
		return nil, err
	}
	c := &Change{Path: f.path, file: f, after: f.text, mode: f.mode}
	for _, at := range there {
		if who := Subscriber(at.words); !slices.Contains(c.Whose, who) {
			c.Whose = append(c.Whose, who)
		}
	}
	if len(there) > 0 {
		c.Flags = globalFlags(there[0].words)
	}
	switch {
	case len(there) == 0: // a crash may have left a copy of the file as it is
		if before.exists && f.exists && bytes.Equal(before.text, f.text) {
			c.drops, c.Backup = true, f.backup()
		}
		return c, nil
	case before.exists:
		again, err := h.editor.set(before.text, h.general(there[0].words))
		if err == nil && bytes.Equal(again, f.text) {
			c.returns, c.Backup, c.after, c.mode = true, f.backup(), before.text, before.mode
			return c, c.keep(h) // all commands may have a flag more
		}
	}
	if c.after, err = h.editor.unset(f.text, before.text); err != nil {
		return nil, broken(f.path, err)
	}
	c.Removes = c.after == nil
	switch {
	case before.exists && bytes.Equal(c.after, before.text):
		c.returns, c.Backup, c.mode = true, f.backup(), before.mode
		c.Removes, c.after = false, before.text // which may be a file without a byte
	case before.exists:
		c.Stays = f.backup()
	}
	return c, c.keep(h)
}

// general is the command without what differs from event to event.
func (h Host) general(words []string) []string {
	for i, word := range words {
		if word == "--event" && i+2 == len(words) {
			return words[:i]
		}
	}
	return words
}

// Apply does it: the copies first, then the file, each in one step, so that the file
// is the old or the new one whenever the process dies (SETUP-4). A file that was
// changed since the plan was made stays as it is.
func (c *Change) Apply() error {
	if c.Nothing() {
		return nil
	}
	if err := c.file.unchanged(); err != nil {
		return err
	}
	folder := filepath.Dir(c.file.target)
	if c.Edited != "" {
		if err := replace(c.Edited, c.file.text, c.file.mode, c.file.info); err != nil {
			return err
		}
	}
	switch {
	case c.drops:
		return removeFile(c.Backup)
	case c.returns:
		if err := os.Rename(c.Backup, c.file.target); err != nil {
			return ioError("the file cannot be put back", err)
		}
		syncFolder(folder)
		return nil
	case c.Removes:
		return removeFile(c.file.target)
	}
	private := fs.FileMode(0o700)
	if c.mode&0o044 != 0 {
		private = 0o755
	}
	if err := os.MkdirAll(folder, private); err != nil {
		return ioError("the folder cannot be made", err)
	}
	if c.saves {
		if err := replace(c.Backup, c.file.text, c.file.mode, c.file.info); err != nil {
			return err
		}
	}
	return replace(c.file.target, c.after, c.mode, c.file.info)
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil {
		return ioError("the file cannot be removed", err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}
