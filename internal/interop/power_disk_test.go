//go:build linux && (amd64 || arm64)

package interop_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// disk is a folder of which every change is known: what is safe on the disk, and
// what a power cut may take or leave. It promises no more than POSIX does: the
// content of a file is safe once the file is synced, its name once the folder is.
type disk struct {
	root string
	top  *node
}

// node is a file or a folder.
type node struct {
	folder  bool
	content []byte           // of a file, when it was last synced
	changes []change         // since then, oldest first
	entries map[string]*node // of a folder, when it was last synced
	names   []naming         // since then; a file system keeps their order
}

// change is a write to a file, or a change of its size.
type change struct {
	offset int64
	data   []byte
	resize bool // to offset; growing only if there is something to grow
	shrink bool // a resize may make it smaller
}

// naming gives a node a name in its folder, or takes one away.
type naming struct {
	name string
	node *node  // nil: removed
	gone string // a name that it had before
}

// newDisk takes what is in the folder for safe.
func newDisk(t *testing.T, root string) *disk {
	t.Helper()
	d := &disk{root, &node{folder: true, entries: map[string]*node{}}}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root || strings.HasSuffix(path, "-shm") {
			return err
		}
		n := &node{folder: e.IsDir(), entries: map[string]*node{}}
		if !n.folder {
			n.content, err = os.ReadFile(path)
		}
		d.find(filepath.Dir(path)).entries[filepath.Base(path)] = n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// find gives what stands at a path as running processes see it; nil if nothing.
func (d *disk) find(path string) *node {
	rest, err := filepath.Rel(d.root, path)
	if err != nil || strings.HasPrefix(rest, "..") {
		return nil
	}
	n := d.top
	for _, name := range strings.Split(rest, "/") {
		if name == "." {
			continue
		}
		if n == nil || !n.folder {
			return nil
		}
		n = n.listing(len(n.names))[name]
	}
	return n
}

// listing is a folder with the first namings since its last sync.
func (n *node) listing(namings int) map[string]*node {
	all := map[string]*node{}
	for name, inner := range n.entries {
		all[name] = inner
	}
	for _, change := range n.names[:namings] {
		delete(all, change.gone)
		if delete(all, change.name); change.node != nil {
			all[change.name] = change.node
		}
	}
	return all
}

// apply does what a call did.
func (d *disk) apply(c call) error {
	if strings.HasSuffix(c.path, "-shm") || strings.HasSuffix(c.path, " (deleted)") {
		return nil // memory, not a file; or a file that nobody finds again
	}
	n, folder := d.find(c.path), d.find(filepath.Dir(c.path))
	if n == nil && !slices.Contains([]string{"open", "create", "mkdir"}, c.name) || folder == nil && n != d.top {
		return fmt.Errorf("%s of %s, which nobody has made", c.name, c.path)
	}
	base := filepath.Base(c.path)
	switch c.name {
	case "open":
		if c.made {
			folder.names = append(folder.names, naming{name: base, node: &node{}})
		}
	case "create":
		folder.names = append(folder.names, naming{name: base, node: &node{}})
	case "mkdir":
		folder.names = append(folder.names, naming{name: base, node: &node{folder: true, entries: map[string]*node{}}})
	case "unlink":
		folder.names = append(folder.names, naming{name: base})
	case "rename":
		if filepath.Dir(c.to) != filepath.Dir(c.path) {
			return fmt.Errorf("%s is moved to another folder", c.path)
		}
		folder.names = append(folder.names, naming{name: filepath.Base(c.to), node: n, gone: base})
	case "pwrite64":
		n.changes = append(n.changes, change{offset: c.offset, data: c.data[:c.result]})
	case "ftruncate":
		n.changes = append(n.changes, change{offset: c.offset, resize: true, shrink: true})
	case "fallocate":
		n.changes = append(n.changes, change{offset: c.offset, resize: true})
	case "fsync", "fdatasync":
		n.sync()
	default:
		return fmt.Errorf("%s of %s: nothing is known of such a call", c.name, c.path)
	}
	return nil
}

func (n *node) sync() {
	if n.folder {
		n.entries, n.names = n.listing(len(n.names)), nil
		return
	}
	for _, c := range n.changes {
		n.content = c.onto(n.content, nil)
	}
	n.changes = nil
}

// sector is what a disk writes whole or not at all.
const sector = 512

// onto makes a change to a content. With luck, only some of its sectors.
func (c change) onto(content []byte, luck *rand.Rand) []byte {
	end := c.offset + int64(len(c.data))
	if int64(len(content)) < end {
		content = append(content, make([]byte, end-int64(len(content)))...)
	}
	if c.resize && c.shrink {
		content = content[:c.offset]
	}
	for at := int64(0); at < int64(len(c.data)); {
		next := min((c.offset+at)/sector*sector+sector-c.offset, int64(len(c.data)))
		if luck == nil || luck.IntN(2) == 0 {
			copy(content[c.offset+at:], c.data[at:next])
		}
		at = next
	}
	return content
}

// write leaves on a real disk what a power cut leaves of a node: without luck only
// what is safe; with luck any of the writes that were not synced yet, in part and
// in any order, and the names of a folder up to some moment.
func (n *node) write(path string, luck *rand.Rand) error {
	if !n.folder {
		content := slices.Clone(n.content)
		for _, c := range n.changes {
			if luck == nil {
				break
			}
			switch luck.IntN(3) {
			case 0: // lost
			case 1:
				content = c.onto(content, nil)
			case 2:
				content = c.onto(content, luck)
			}
		}
		return os.WriteFile(path, content, 0o600)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	namings := 0
	if luck != nil {
		namings = luck.IntN(len(n.names) + 1)
	}
	all := n.listing(namings)
	for _, name := range sortedNames(all) {
		if err := all[name].write(filepath.Join(path, name), luck); err != nil {
			return err
		}
	}
	return nil
}

func sortedNames(all map[string]*node) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
