package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// build is one way to build this module.
type build struct {
	name string
	env  []string
	args []string
}

// builds are all ways that select other files: both halves of the switch between
// the drivers, and the other systems.
func builds() []build {
	return []build{
		{name: "wasm", env: []string{"CGO_ENABLED=0"}},
		{name: "cgo", env: []string{"CGO_ENABLED=1"}},
		{name: "cgo tundish_wasm", env: []string{"CGO_ENABLED=1"}, args: []string{"-tags=tundish_wasm"}},
		{name: "darwin", env: []string{"CGO_ENABLED=0", "GOOS=darwin", "GOARCH=arm64"}},
		{name: "windows", env: []string{"CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64"}},
	}
}

// listed is what `go list` says about a package.
type listed struct {
	ImportPath   string
	ForTest      string
	Name         string
	GoFiles      []string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// list runs `go list` in the root of the module.
func list(t *testing.T, b build, args ...string) []listed {
	t.Helper()
	out := run(t, b, append([]string{"list", "-e", "-json"}, append(b.args, args...)...)...)
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var l listed
		err := dec.Decode(&l)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

// run runs the go command in the root of the module and returns what it prints.
func run(t *testing.T, b build, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), b.env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// root is the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// packages lists the packages of this module that have files in a build.
func packages(t *testing.T, b build) []pkg {
	t.Helper()
	var all []pkg
	for _, l := range list(t, b, "./...") {
		if len(l.GoFiles)+len(l.CgoFiles)+len(l.TestGoFiles)+len(l.XTestGoFiles) == 0 {
			continue
		}
		all = append(all, pkg{
			path:    strings.TrimPrefix(strings.TrimPrefix(l.ImportPath, module), "/"),
			imports: l.Imports,
			tests:   slices.Concat(l.TestImports, l.XTestImports),
		})
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages", len(all))
	}
	return all
}

// binaries lists the programs and test binaries of this module in a build.
func binaries(t *testing.T, b build) []binary {
	t.Helper()
	var all []binary
	for _, l := range list(t, b, "-test", "./...") {
		if l.Name == "main" {
			all = append(all, binary{name: l.ImportPath, deps: l.Deps})
		}
	}
	if len(all) < 5 {
		t.Fatalf("go list found %d binaries", len(all))
	}
	return all
}

// report fails the test with every violation.
func report(t *testing.T, violations []string) {
	t.Helper()
	for _, v := range violations {
		t.Error(v)
	}
}

func TestImports(t *testing.T) {
	for _, b := range builds() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			report(t, breaches(laws(), packages(t, b)))
		})
	}
}

func TestNoBinaryHoldsBothDrivers(t *testing.T) {
	for _, b := range builds()[:3] {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			report(t, twofold(binaries(t, b)))
		})
	}
}

// TestEachBuildHasItsDriver makes sure that the test above looks at drivers at
// all, and that the switch between them works.
func TestEachBuildHasItsDriver(t *testing.T) {
	for name, driver := range map[string]string{"wasm": ncruces, "cgo": mattn, "cgo tundish_wasm": ncruces} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := builds()[slices.IndexFunc(builds(), func(b build) bool { return b.name == name })]
			for _, l := range list(t, b, "./cmd/tundish") {
				for _, other := range []string{mattn, ncruces} {
					linked := slices.ContainsFunc(l.Deps, func(dep string) bool { return below(dep, []string{other}) })
					if linked != (other == driver) {
						t.Errorf("%s in the program: %v", other, linked)
					}
				}
			}
		})
	}
}

// TestShortProcessesLinkNoHTTP keeps what is slow to start out of the program that
// hooks run (decision 0019).
func TestShortProcessesLinkNoHTTP(t *testing.T) {
	for _, b := range builds()[:3] {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			for program, want := range map[string]bool{"./cmd/tundish": false, "./cmd/tundish-outbox": true, "./cmd/tundish-mcp": true} {
				for _, l := range list(t, b, program) {
					if got := slices.Contains(l.Deps, "net/http"); got != want {
						t.Errorf("net/http in %s: %t", program, got)
					}
				}
			}
		})
	}
}
