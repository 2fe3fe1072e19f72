package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Bounds of a source.
const (
	maxLines   = 300 // of a file that is no test
	maxMethods = 7   // of a role
)

// source is one Go file.
type source struct {
	path string // in the module, with slashes
	text string
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) parse() (*ast.File, *token.FileSet, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, s.path, s.text, parser.SkipObjectResolution)
	return file, fset, err
}

// sources reads all Go files of the module, whatever build they are for.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	top := root(t)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		all = append(all, source{path: filepath.ToSlash(rel), text: string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d Go files", len(all))
	}
	return all
}

// readers of a clock in package time.
func clocks() map[string]bool {
	return map[string]bool{
		"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "AfterFunc": true,
		"Tick": true, "NewTicker": true, "NewTimer": true,
	}
}

// clocked lists where the rules read a clock: they get the time as a value.
func clocked(files []source) []string {
	var found []string
	for _, s := range files {
		if s.test() || !strings.HasPrefix(s.path, "domain/") {
			continue
		}
		file, fset, err := s.parse()
		if err != nil {
			found = append(found, err.Error())
			continue
		}
		name := importedAs(file, "time")
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && clocks()[sel.Sel.Name] {
				found = append(found, fmt.Sprintf("%s reads a clock: time.%s", fset.Position(sel.Pos()), sel.Sel.Name))
			}
			return true
		})
	}
	return found
}

// importedAs is the name under which a file knows a package; "" when it does not.
func importedAs(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if quoted, err := strconv.Unquote(spec.Path.Value); err != nil || quoted != path {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path[strings.LastIndex(path, "/")+1:]
	}
	return ""
}

// crowded lists the roles of the ports with more methods than one role needs.
// Roles that are made of others count their own methods only.
func crowded(files []source) []string {
	var found []string
	for _, s := range files {
		if s.test() || !strings.HasPrefix(s.path, "ports/") {
			continue
		}
		file, _, err := s.parse()
		if err != nil {
			found = append(found, err.Error())
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			role, ok := spec.Type.(*ast.InterfaceType)
			if !ok {
				return true
			}
			methods := 0
			for _, field := range role.Methods.List {
				methods += len(field.Names)
			}
			if methods > maxMethods {
				found = append(found, fmt.Sprintf("%s: the role %s has %d methods, more than %d", s.path, spec.Name.Name, methods, maxMethods))
			}
			return true
		})
	}
	return found
}

// long lists files of code with more lines than one reads in one go.
func long(files []source) []string {
	var found []string
	for _, s := range files {
		if lines := strings.Count(s.text, "\n"); !s.test() && lines > maxLines {
			found = append(found, fmt.Sprintf("%s has %d lines, more than %d", s.path, lines, maxLines))
		}
	}
	return found
}

// lost lists files that the go command leaves out of every build but one for
// another processor, because of how their names end.
func lost(files []source) []string {
	var found []string
	for _, s := range files {
		stem := strings.TrimSuffix(strings.TrimSuffix(s.path, ".go"), "_test")
		if strings.HasSuffix(stem, "_wasm") || strings.HasSuffix(stem, "_js") {
			found = append(found, s.path+" is compiled for wasm or js only, by its name")
		}
	}
	return found
}

// nameless lists packages with names that say nothing.
func nameless(files []source) []string {
	var found []string
	for _, s := range files {
		for _, part := range strings.Split(s.path, "/") {
			switch part {
			case "util", "utils", "common", "helper", "helpers", "manager", "models", "misc":
				found = append(found, s.path+" is in a package whose name says nothing: "+part)
			}
		}
	}
	return found
}

func TestRulesReadNoClock(t *testing.T)    { report(t, clocked(sources(t))) }
func TestRolesAreSmall(t *testing.T)       { report(t, crowded(sources(t))) }
func TestFilesAreShort(t *testing.T)       { report(t, long(sources(t))) }
func TestNoFileIsLost(t *testing.T)        { report(t, lost(sources(t))) }
func TestPackageNamesSayMuch(t *testing.T) { report(t, nameless(sources(t))) }
