package archtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestModulesAreListed makes a new dependency, direct or not, a line of a change
// that somebody reads. To renew the list:
//
//	go list -m all | tail -n +2 >docs/modules.txt
func TestModulesAreListed(t *testing.T) {
	got := strings.Split(strings.TrimSpace(run(t, build{}, "list", "-m", "all")), "\n")[1:]
	report(t, unlisted(got, lines(t, "docs/modules.txt")))
}

// unlisted lists the modules that are in one list only.
func unlisted(have, committed []string) []string {
	var found []string
	count := map[string]int{}
	for _, m := range committed {
		count[m]++
	}
	for _, m := range have {
		if count[m]--; count[m] < 0 {
			found = append(found, "docs/modules.txt lacks "+m)
		}
	}
	for _, m := range committed {
		if count[m] > 0 {
			found = append(found, "docs/modules.txt has "+m+", which go.mod does not lead to")
			count[m] = 0
		}
	}
	return found
}

// TestDependenciesHaveReasons looks for each module that go.mod asks for in the
// page that gives the reasons.
func TestDependenciesHaveReasons(t *testing.T) {
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal([]byte(run(t, build{}, "mod", "edit", "-json")), &mod); err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	report(t, unreasoned(direct, strings.Join(lines(t, "docs/decisions/0006-dependencies.md"), "\n")))
}

// unreasoned lists the modules that a page does not name.
func unreasoned(modules []string, page string) []string {
	var found []string
	for _, m := range modules {
		if !strings.Contains(page, "`"+m+"`") {
			found = append(found, "docs/decisions/0006-dependencies.md gives no reason for "+m)
		}
	}
	return found
}

// lines reads a file of the module.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
