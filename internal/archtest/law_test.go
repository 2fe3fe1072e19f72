package archtest

import (
	"fmt"
	"slices"
	"strings"
)

const module = "github.com/tundish-go/tundish"

// The modules that the laws speak of.
const (
	cobra      = "github.com/spf13/cobra"
	pflag      = "github.com/spf13/pflag" // cobra's flags
	cmp        = "github.com/google/go-cmp"
	gojq       = "github.com/itchyny/gojq"
	mcpSDK     = "github.com/modelcontextprotocol/go-sdk"
	mcpSchema  = "github.com/google/jsonschema-go" // the SDK's schemas
	jsontext   = "github.com/go-json-experiment/json/jsontext"
	mattn      = "github.com/mattn/go-sqlite3"
	ncruces    = "github.com/ncruces/go-sqlite3"
	rapid      = "pgregory.net/rapid"
	sqlx       = "github.com/jmoiron/sqlx"
	testscript = "github.com/rogpeppe/go-internal"
	xsys       = "golang.org/x/sys"
	xterm      = "golang.org/x/term"
	yaml       = "go.yaml.in/yaml/v3"
	goleak     = "go.uber.org/goleak"
	fsnotify   = "github.com/fsnotify/fsnotify"
)

// law says what one package may import besides the standard library: packages of
// this module by their path in it, others by their import path. A path that ends
// in /... stands for all packages below it and itself, and one of another module
// always does.
type law struct {
	pkg    string
	may    []string // code
	tests  []string // its tests, besides what the code may
	barred []string // of the standard library: never in code, nor what is below
}

// impure is what a package of rules must not reach: it would no longer be a
// function of its arguments.
func impure() []string { return []string{"os", "net", "log", "database", "syscall", "context"} }

// suites are packages of test code in ordinary files. Only tests import them, and
// they each other.
func suites() []string {
	return []string{
		module + "/ports/porttest", module + "/adapters/internal/sqlstore/sqltest", module + "/adapters/internal/faultdrv",
	}
}

// laws is the whole table. A package without a line in it is a violation.
//
// Neither ports nor app can name a type of SQL, of sqlx or of a driver in what
// they export: they import none, and neither does anything that they may import.
func laws() []law {
	core := []string{"domain/...", "ports/..."}
	suite := []string{"ports/porttest", "adapters/memory", "domain/...", "ports/...", cmp, rapid}
	delivers := []string{"domain", "domain/outbox", "ports/delivery"}
	stores := append([]string{"adapters/internal/sqlstore/sqltest", "adapters/jq"}, suite...)
	return []law{
		{pkg: "domain", barred: impure(), tests: []string{cmp, rapid}},
		{pkg: "domain/inbox", may: []string{"domain", "ports"}, barred: impure(), tests: []string{cmp, rapid}},
		{pkg: "domain/outbox", may: []string{"domain", "ports"}, barred: impure(), tests: []string{cmp, rapid}},

		{pkg: "ports", barred: []string{"database"}},
		{pkg: "ports/storage", may: []string{"domain/...", "ports"}, barred: []string{"database"}},
		{pkg: "ports/delivery", may: []string{"domain/...", "ports"}, barred: []string{"database"}},
		{pkg: "ports/porttest", may: []string{"domain/...", "ports/...", cmp, rapid}, tests: []string{"adapters/memory"}},

		{pkg: "adapters/internal/sqlstore", may: append([]string{sqlx}, core...), tests: stores},
		{
			pkg: "adapters/internal/sqlstore/sqltest",
			may: append([]string{
				"adapters/internal/sqlstore", "adapters/internal/faultdrv", "ports/porttest", "adapters/memory",
				"app", "adapters/jq", "adapters/payload", cmp, rapid, sqlx,
			}, core...),
		},
		{pkg: "adapters/internal/faultdrv"},
		{pkg: "adapters/sqlite_cgo", may: []string{"adapters/internal/sqlstore", "domain", mattn}, tests: stores},
		{pkg: "adapters/sqlite_wasm", may: []string{"adapters/internal/sqlstore", "domain", ncruces}, tests: stores},
		{pkg: "adapters/memory", may: core, tests: suite},
		{pkg: "adapters/jq", may: []string{"ports", gojq, jsontext}, tests: []string{cmp, rapid}},
		{pkg: "adapters/deliver_exec", may: delivers},
		{pkg: "adapters/deliver_http", may: append([]string{"adapters/internal/httpanswer"}, delivers...)},
		{pkg: "adapters/deliver_opencode", may: append([]string{"adapters/internal/httpanswer"}, delivers...)},
		{pkg: "adapters/internal/httpanswer", may: []string{"domain/outbox"}},
		{
			pkg: "adapters/deliver_inbox", may: delivers, barred: []string{"net"},
			tests: []string{"app", "adapters/memory", "adapters/jq", "adapters/payload"},
		},
		{pkg: "adapters/payload", may: []string{"ports", jsontext}, tests: []string{cmp, rapid}},

		{
			pkg: "app", may: core, barred: []string{"database"},
			tests: append([]string{"adapters/jq", "adapters/payload"}, suite...),
		},

		{
			pkg: "app/outbox", may: core, barred: []string{"database", "net"},
			tests: append([]string{goleak}, suite...),
		},

		{
			pkg: "cmd/tundish/internal/cli", barred: []string{"database"},
			may:   append([]string{"app", "app/outbox", "cmd/tundish/internal/config", "cmd/tundish/internal/host", "cmd/tundish/internal/setup", "cmd/tundish/internal/watch", cobra, pflag, xsys, xterm}, core...),
			tests: append([]string{"adapters/jq", "adapters/payload", testscript}, suite...),
		},
		{pkg: "cmd/tundish/internal/watch", may: []string{fsnotify}, barred: []string{"database"}, tests: []string{goleak}},
		{pkg: "cmd/tundish/internal/host", barred: impure(), tests: []string{rapid}},
		// It edits the files of others, some of them YAML.
		{pkg: "cmd/tundish/internal/setup", may: []string{"domain", yaml}, tests: []string{cmp, rapid}},
		{pkg: "cmd/tundish/internal/config", may: []string{yaml}, tests: []string{"domain/inbox", cmp, rapid}},
		{
			pkg: "cmd/tundish", may: []string{"cmd/tundish/internal/cli", "cmd/tundish/wiring", "domain"},
			tests: append([]string{"cmd/tundish/internal/config", testscript, mcpSDK}, suite...),
		},
		{
			pkg: "cmd/tundish/wiring",
			may: append([]string{
				"cmd/tundish/internal/cli", xsys, "adapters/jq", "adapters/payload", "adapters/sqlite_cgo", "adapters/sqlite_wasm",
			}, core...),
		},
		{
			pkg: "cmd/tundish/worker",
			may: append([]string{
				"cmd/tundish/internal/cli", "cmd/tundish/wiring",
				"adapters/deliver_exec", "adapters/deliver_http", "adapters/deliver_inbox", "adapters/deliver_opencode",
			}, core...),
		},
		{pkg: "cmd/tundish-outbox", may: []string{"cmd/tundish/worker"}},
		{
			pkg: "cmd/tundish/mcp", barred: []string{"database"},
			may:   append([]string{"app", "cmd/tundish/internal/cli", "cmd/tundish/wiring", mcpSDK, mcpSchema, xsys}, core...),
			tests: append([]string{"adapters/jq", "adapters/payload", goleak}, suite...),
		},
		{pkg: "cmd/tundish-mcp", may: []string{"cmd/tundish/mcp"}},

		{pkg: "internal/archtest"},
		{pkg: "internal/lazytables"},
		{
			pkg: "internal/metamorphic", may: append([]string{"app", "adapters/jq", "adapters/payload"}, core...),
			tests: []string{"adapters/memory", rapid},
		},
		{
			pkg: "internal/metamorphic/worker",
			may: []string{"internal/metamorphic", "adapters/sqlite_cgo", "adapters/sqlite_wasm", "ports/storage"},
		},
		{pkg: "internal/interop", tests: []string{testscript, cmp, xsys}},
		{
			pkg: "internal/interop/hooked",
			may: []string{"app/outbox", "adapters/deliver_exec", "adapters/sqlite_cgo", "adapters/sqlite_wasm"},
		},
		{pkg: "internal/interop/receiver", may: []string{xsys}},
		{pkg: "internal/hosts"},
		{pkg: "internal/peers", tests: []string{"adapters/deliver_opencode", "domain/outbox", "ports/delivery"}},
		{pkg: "bench"},
		{pkg: "bench/bare"},
		{
			pkg: "bench/embedded",
			may: append([]string{
				"app", "app/outbox", "adapters/jq", "adapters/payload", "adapters/sqlite_cgo", "adapters/sqlite_wasm", mattn, ncruces,
			}, core...),
		},
		{pkg: "demo"},
	}
}

// pkg is what the laws ask of a package in one configuration of the build.
type pkg struct {
	path    string // in this module; "" is its root
	imports []string
	tests   []string // imports of its tests, in the package and beside it
}

// breaches lists where packages break the table.
func breaches(table []law, packages []pkg) []string {
	var found []string
	for _, p := range packages {
		i := slices.IndexFunc(table, func(l law) bool { return l.pkg == p.path })
		if i < 0 {
			found = append(found, fmt.Sprintf("%q has no line in the table of laws", p.path))
			continue
		}
		l := table[i]
		for _, path := range p.imports {
			if !l.allows(path, l.may) || below(path, suites()) && !below(module+"/"+p.path, suites()) {
				found = append(found, fmt.Sprintf("%s imports %s", p.path, path))
			}
			if below(path, l.barred) {
				found = append(found, fmt.Sprintf("%s imports %s, which is barred there", p.path, path))
			}
		}
		for _, path := range p.tests {
			if !l.allows(path, l.may) && !l.allows(path, l.tests) && path != module+"/"+l.pkg {
				found = append(found, fmt.Sprintf("a test of %s imports %s", p.path, path))
			}
		}
	}
	return found
}

func (l law) allows(path string, list []string) bool {
	if standard(path) {
		return true
	}
	inner, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return below(path, list)
	}
	return slices.ContainsFunc(list, func(entry string) bool {
		tree, whole := strings.CutSuffix(entry, "/...")
		return inner == tree || whole && strings.HasPrefix(inner, tree+"/")
	})
}

// standard tells whether a path belongs to the standard library: no domain name.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// below tells whether path is one of the entries or lies under one.
func below(path string, entries []string) bool {
	return slices.ContainsFunc(entries, func(entry string) bool {
		return path == entry || strings.HasPrefix(path, entry+"/")
	})
}

// binary is a program or a test binary with all packages that are linked in.
type binary struct {
	name string
	deps []string
}

// twofold lists the binaries that hold both drivers. Both register the name
// sqlite3 with database/sql, and the second one to do so panics.
func twofold(binaries []binary) []string {
	var found []string
	for _, b := range binaries {
		holds := func(driver string) bool {
			return slices.ContainsFunc(b.deps, func(dep string) bool { return below(dep, []string{driver}) })
		}
		if holds(mattn) && holds(ncruces) {
			found = append(found, b.name+" holds both drivers")
		}
	}
	return found
}
