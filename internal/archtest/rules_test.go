package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule is a row of docs/rules.md: a number, and the tests that it names.
type rule struct {
	family       string
	group, place int
	tests        []string
}

func (r rule) String() string { return fmt.Sprintf("%s-%d.%d", r.family, r.group, r.place) }

// rulebook reads the rows of the page, and lists the lines that are none.
func rulebook(page string) (rules []rule, found []string) {
	row := regexp.MustCompile(`^\| ([A-Z]+)-([0-9]+)\.([0-9]+) \| ([^|]+) \|([^|]*)\|$`)
	name := regexp.MustCompile("`([^`]+)`")
	for i, line := range strings.Split(page, "\n") {
		cells := row.FindStringSubmatch(line)
		head := strings.HasPrefix(line, "| rule |") || strings.HasPrefix(line, "|---|")
		switch {
		case cells == nil && strings.HasPrefix(line, "|") && !head:
			found = append(found, fmt.Sprintf("docs/rules.md:%d is no row with a number, a sentence and tests", i+1))
		case cells != nil:
			r := rule{family: cells[1]}
			r.group, _ = strconv.Atoi(cells[2])
			r.place, _ = strconv.Atoi(cells[3])
			for _, m := range name.FindAllStringSubmatch(cells[5], -1) {
				r.tests = append(r.tests, m[1])
			}
			rules = append(rules, r)
		}
	}
	return rules, found
}

// gaps lists the rules that do not follow the one before: a family stands
// together, its groups count from 0 or 1, and the places in a group from 1.
func gaps(rules []rule) []string {
	var found []string
	var before rule
	begun := map[string]bool{}
	for _, r := range rules {
		follows := r.family == before.family &&
			(r.group == before.group && r.place == before.place+1 || r.group == before.group+1 && r.place == 1)
		begins := !begun[r.family] && r.group <= 1 && r.place == 1
		if !follows && !begins {
			found = append(found, fmt.Sprintf("%s does not follow %s", r, before))
		}
		begun[r.family], before = true, r
	}
	return found
}

// untested lists the rules that name no test, or one that does not exist: a test
// function in a test file, a function in the list of a suite, or a script.
func untested(rules []rule, files []source) []string {
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	listed := regexp.MustCompile(`", (test\w+)\}`)
	known := map[string]bool{}
	for _, s := range files {
		folder := path.Dir(s.path)
		switch {
		case strings.HasSuffix(s.path, ".txtar"):
			known[s.path] = true
		case s.test():
			for _, m := range function.FindAllStringSubmatch(s.text, -1) {
				known[folder+"."+m[1]] = true
			}
		default:
			for _, m := range listed.FindAllStringSubmatch(s.text, -1) {
				known[folder+"."+m[1]] = true
			}
		}
	}
	var found []string
	for _, r := range rules {
		if len(r.tests) == 0 {
			found = append(found, r.String()+" names no test")
		}
		for _, test := range r.tests {
			if !known[test] {
				found = append(found, fmt.Sprintf("%s names %s, which does not exist", r, test))
			}
		}
	}
	return found
}

// dangling lists the citations of numbers that no rule has: FAMILY-N and
// FAMILY-N.N anywhere, FAMILYN between underscores in the names of tests.
func dangling(rules []rule, files []source) []string {
	known := map[string]bool{}
	var families []string
	for _, r := range rules {
		known[r.String()] = true
		known[fmt.Sprintf("%s-%d", r.family, r.group)] = true
		if !slices.Contains(families, r.family) {
			families = append(families, r.family)
		}
	}
	family := strings.Join(families, "|")
	cited := regexp.MustCompile(`\b(?:` + family + `)-[0-9]+(?:\.[0-9]+)?`)
	name := regexp.MustCompile(`\b(?:Test|Fuzz|Example|Benchmark)(?:(?:` + family + `)[0-9]+_)+`)
	part := regexp.MustCompile(`(` + family + `)([0-9]+)_`)
	var found []string
	for _, s := range files {
		numbers := cited.FindAllString(s.text, -1)
		for _, m := range name.FindAllString(s.text, -1) {
			numbers = append(numbers, strings.Split(strings.Trim(part.ReplaceAllString(m, " $1-$2"), " "), " ")[1:]...)
		}
		for _, number := range numbers {
			if line := fmt.Sprintf("%s cites %s, which docs/rules.md does not have", s.path, number); !known[number] && !slices.Contains(found, line) {
				found = append(found, line)
			}
		}
	}
	return found
}

// pages reads all scripts and all pages but the one with the rules.
func pages(t *testing.T) []source {
	t.Helper()
	var all []source
	top := root(t)
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(top, name)
		if ext := filepath.Ext(name); err != nil || d.IsDir() || ext != ".txtar" && ext != ".md" || filepath.ToSlash(rel) == "docs/rules.md" {
			return err
		}
		text, err := os.ReadFile(name)
		all = append(all, source{path: filepath.ToSlash(rel), text: string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRulesHaveTests holds docs/rules.md to the tree, and the tree to it.
func TestRulesHaveTests(t *testing.T) {
	rules, found := rulebook(strings.Join(lines(t, "docs/rules.md"), "\n"))
	if len(rules) < 200 {
		t.Fatalf("found %d rules", len(rules))
	}
	files := slices.Concat(sources(t), pages(t))
	report(t, slices.Concat(found, gaps(rules), untested(rules, files), dangling(rules, files)))
}

// TestRuleLawsCatch shows each of these laws failing, on a family that is not in
// the page.
func TestRuleLawsCatch(t *testing.T) {
	book := func(rows ...string) []rule {
		t.Helper()
		rules, found := rulebook("# Rules\n\n| rule | what holds | tests |\n|---|---|---|\n" + strings.Join(rows, "\n") + "\n")
		caught(t, found)
		return rules
	}
	good := book("| AB-0.1 | a | `x.TestAB0_A`, `x.FuzzA` |", "| AB-1.1 | b | `x/s.testB` |", "| AB-1.2 | c | `s/c.txtar` |", "| CD-1.1 | d | `x.TestAB0_A` |")
	files := []source{
		{"x/a_test.go", "package x\n\nfunc TestAB0_A(t *testing.T) {}\nfunc FuzzA(f *testing.F) {}\nfunc TestAB1_CD1_Both(t *testing.T) {}\n// AB-1, AB-1.2. And CD-1.\n"},
		{"x/s/b.go", "package s\n\nvar list = []topic{\n\t{\"AB-1 b\", testB},\n}\n\nfunc testB(t *testing.T) {}\nfunc testC(t *testing.T) {}\n"},
		{"s/c.txtar", "# CD-1.1 in a script\n"},
	}
	caught(t, slices.Concat(gaps(good), untested(good, files), dangling(good, files)))

	for _, line := range []string{"| AB-1 | a | `t` |", "| AB-1.1 | a |", "| AB-1.1 |  | `t` |", "| AB-1.1 | a or b | c | `t` |"} {
		_, found := rulebook(line)
		caught(t, found, "docs/rules.md:1 is no row")
	}

	caught(t, gaps(book("| AB-1.1 | a | |", "| AB-1.3 | a | |")), "AB-1.3 does not follow AB-1.1")
	caught(t, gaps(book("| AB-1.1 | a | |", "| AB-3.1 | a | |")), "AB-3.1")
	caught(t, gaps(book("| AB-1.1 | a | |", "| AB-2.2 | a | |")), "AB-2.2")
	caught(t, gaps(book("| AB-1.1 | a | |", "| AB-1.1 | a | |")), "AB-1.1")
	caught(t, gaps(book("| AB-2.1 | a | |")), "AB-2.1")
	caught(t, gaps(book("| AB-1.1 | a | |", "| CD-1.1 | a | |", "| AB-1.2 | a | |")), "AB-1.2 does not follow CD-1.1")

	caught(t, untested(book("| AB-1.1 | a | |"), files), "AB-1.1 names no test")
	caught(t, untested(book("| AB-1.1 | a | to be written |"), files), "AB-1.1 names no test")
	for _, missing := range []string{"x.TestGone", "y.TestAB0_A", "x.TestAB0", "x/s.testC", "s/gone.txtar", "x/a_test.go"} {
		caught(t, untested(book("| AB-1.1 | a | `"+missing+"` |"), files), "AB-1.1 names "+missing)
	}

	cites := func(text string) []string { return dangling(good, []source{{"x/y.go", text}}) }
	caught(t, cites("// AB-2 is not there, nor AB-2 again"), "x/y.go cites AB-2,")
	caught(t, cites("// AB-1.3"), "AB-1.3")
	caught(t, cites("func TestAB2_A(t *testing.T) {}"), "AB-2")
	caught(t, cites("func TestAB1_CD7_A(t *testing.T) {}"), "CD-7")
	caught(t, cites("// XAB-9, AB-, AB9_, Test_AB9_, EF-1 cite nothing"))
}
