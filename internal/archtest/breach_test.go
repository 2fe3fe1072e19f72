package archtest

import (
	"strings"
	"testing"
)

// The tests in this file show each law failing: a law that cannot fail is none.

func TestImportLawCatches(t *testing.T) {
	tests := map[string]struct {
		pkg  pkg
		want string // a part of the only violation; "" for none
	}{
		"a package without a line": {pkg{path: "adapters/postgres"}, "no line"},
		"the root":                 {pkg{path: ""}, "no line"},
		"standard library":         {pkg{path: "adapters/memory", imports: []string{"os", "database/sql"}}, ""},
		"domain on a module":       {pkg{path: "domain", imports: []string{rapid}}, "domain imports " + rapid},
		"domain on ports":          {pkg{path: "domain", imports: []string{module + "/ports"}}, "imports " + module + "/ports"},
		"inbox on storage":         {pkg{path: "domain/inbox", imports: []string{module + "/ports/storage"}}, "ports/storage"},
		"inbox on outbox":          {pkg{path: "domain/inbox", imports: []string{module + "/domain/outbox"}}, "domain/outbox"},
		"inbox on domain":          {pkg{path: "domain/inbox", imports: []string{module + "/domain"}}, ""},
		"inbox on os":              {pkg{path: "domain/inbox", imports: []string{"os"}}, "barred"},
		"inbox on net/http":        {pkg{path: "domain/inbox", imports: []string{"net/http"}}, "barred"},
		"inbox on log/slog":        {pkg{path: "domain/inbox", imports: []string{"log/slog"}}, "barred"},
		"inbox on sql":             {pkg{path: "domain/inbox", imports: []string{"database/sql"}}, "barred"},
		"inbox on a look-alike":    {pkg{path: "domain/inbox", imports: []string{"logic"}}, ""},
		"ports on sql":             {pkg{path: "ports", imports: []string{"database/sql/driver"}}, "barred"},
		"ports on domain":          {pkg{path: "ports", imports: []string{module + "/domain"}}, "imports"},
		"storage on inbox":         {pkg{path: "ports/storage", imports: []string{module + "/domain/inbox"}}, ""},
		"suite on an adapter":      {pkg{path: "ports/porttest", imports: []string{module + "/adapters/memory"}}, "adapters/memory"},
		"suite in code":            {pkg{path: "adapters/memory", imports: []string{module + "/ports/porttest"}}, "porttest"},
		"store's suite in code":    {pkg{path: "adapters/sqlite_cgo", imports: []string{module + "/adapters/internal/sqlstore/sqltest"}}, "sqltest"},
		"faults in code":           {pkg{path: "adapters/internal/sqlstore", imports: []string{module + "/adapters/internal/faultdrv"}}, "faultdrv"},
		"suite in a suite":         {pkg{path: "adapters/internal/sqlstore/sqltest", imports: []string{module + "/ports/porttest"}}, ""},
		"suite in a test":          {pkg{path: "adapters/memory", tests: []string{module + "/ports/porttest"}}, ""},
		"store on a driver":        {pkg{path: "adapters/internal/sqlstore", imports: []string{mattn}}, mattn},
		"store on a driver's part": {pkg{path: "adapters/internal/sqlstore", imports: []string{ncruces + "/driver"}}, ncruces},
		"cgo on the other driver":  {pkg{path: "adapters/sqlite_cgo", imports: []string{ncruces + "/driver"}}, ncruces},
		"wasm on the other driver": {pkg{path: "adapters/sqlite_wasm", imports: []string{mattn}}, mattn},
		"wasm on its driver":       {pkg{path: "adapters/sqlite_wasm", imports: []string{ncruces + "/driver"}}, ""},
		"jq on domain":             {pkg{path: "adapters/jq", imports: []string{module + "/domain"}}, "domain"},
		"app on an adapter":        {pkg{path: "app", imports: []string{module + "/adapters/memory"}}, "adapters/memory"},
		"app on sql":               {pkg{path: "app", imports: []string{"database/sql"}}, "barred"},
		"app's test on memory":     {pkg{path: "app", tests: []string{module + "/app", module + "/adapters/memory"}}, ""},
		"app's test on a driver":   {pkg{path: "app", tests: []string{module + "/adapters/sqlite_cgo"}}, "a test of app"},
		"cli on an adapter":        {pkg{path: "cmd/tundish/internal/cli", imports: []string{module + "/adapters/jq"}}, "adapters/jq"},
		"cli on YAML":              {pkg{path: "cmd/tundish/internal/cli", imports: []string{yaml}}, yaml},
		"config on app":            {pkg{path: "cmd/tundish/internal/config", imports: []string{module + "/app"}}, "imports"},
		"main on the store":        {pkg{path: "cmd/tundish", imports: []string{module + "/adapters/internal/sqlstore"}}, "sqlstore"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found := breaches(laws(), []pkg{test.pkg})
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("found %q", found)
			case test.want != "" && (len(found) != 1 || !strings.Contains(found[0], test.want)):
				t.Errorf("found %q, want one that contains %q", found, test.want)
			}
		})
	}
}

func TestDriverLawCatches(t *testing.T) {
	caught(t, twofold([]binary{{name: "x.test", deps: []string{"os", mattn, ncruces + "/driver"}}}), "x.test")
	caught(t, twofold([]binary{{deps: []string{mattn}}, {deps: []string{ncruces, ncruces + "-wasm/v6"}}}))
}

func TestClockLawCatches(t *testing.T) {
	in := func(path, text string) []string { return clocked([]source{{path, "package p\n" + text}}) }
	caught(t, in("domain/inbox/a.go", `import "time"; var x = time.Now()`), "time.Now")
	caught(t, in("domain/inbox/a.go", `import clock "time"; var x = clock.Since`), "time.Since")
	caught(t, in("domain/inbox/a.go", `import "time"; var x = time.Unix(1, 0)`))
	caught(t, in("domain/inbox/a_test.go", `import "time"; var x = time.Now()`))
	caught(t, in("app/a.go", `import "time"; var x = time.Now()`))
	caught(t, in("domain/a.go", `)`), "expected")
}

func TestRoleLawCatches(t *testing.T) {
	seven := "A(); B(); C(); D(); E(); F(); G()"
	caught(t, crowded([]source{{"ports/storage/a.go", "package p; type Role interface { " + seven + "; H() }"}}), "Role has 8")
	caught(t, crowded([]source{{"ports/a.go", "package p; type Role interface { " + seven + "; Other }"}}))
}

func TestFileLawsCatch(t *testing.T) {
	tall := strings.Repeat("\n", maxLines+1)
	caught(t, long([]source{{"app/a.go", tall}}), "app/a.go")
	caught(t, long([]source{{"app/a_test.go", tall}, {"app/b.go", tall[1:]}}))
	caught(t, lost([]source{{"cmd/store_wasm.go", ""}}), "store_wasm.go")
	caught(t, lost([]source{{"cmd/store_js_test.go", ""}}), "store_js_test.go")
	caught(t, lost([]source{{"adapters/sqlite_wasm/open.go", ""}, {"cmd/store_nocgo.go", ""}}))
	caught(t, nameless([]source{{"app/util/a.go", ""}}), "util")
	caught(t, nameless([]source{{"app/utility.go", ""}}))
}

func TestModuleLawsCatch(t *testing.T) {
	caught(t, unlisted([]string{"a v1", "b v1"}, []string{"a v1"}), "lacks b v1")
	caught(t, unlisted([]string{"a v1"}, []string{"a v1", "b v1"}), "has b v1")
	caught(t, unlisted([]string{"a v2"}, []string{"a v1"}), "lacks a v2", "has a v1")
	caught(t, unlisted([]string{"a v1"}, []string{"a v1"}))
	caught(t, unreasoned([]string{"a/b", "c"}, "`c` is used for this"), "a/b")
}

// caught fails unless there are exactly these violations, each given by a part
// of its text.
func caught(t *testing.T, found []string, parts ...string) {
	t.Helper()
	if len(found) != len(parts) {
		t.Fatalf("found %q, want %d violations", found, len(parts))
	}
	for i, part := range parts {
		if !strings.Contains(found[i], part) {
			t.Errorf("found %q, want one that contains %q", found[i], part)
		}
	}
}
