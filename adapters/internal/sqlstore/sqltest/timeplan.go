package sqltest

import (
	"context"
	"database/sql/driver"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/app"
)

// RunTimePlans has the use cases of every day run on a file without the tables of
// schema 4, where no statement may mention them; then those with times, whose rows
// SQLite must find by an index (TIME-10).
func RunTimePlans(t *testing.T, d sqlstore.Driver) {
	seen := &statements{texts: map[string]bool{}}
	inner := d.Connector
	d.Connector = func(path string) (driver.Connector, error) {
		made, err := inner(path)
		return listener{made, seen}, err
	}
	sc := newScene(t, Faulty{Driver: d})
	extras := regexp.MustCompile(`(FROM|JOIN|INTO|UPDATE) (note|expiry|scheduled)\b`)
	run := func(steps []step) []string {
		clear(seen.texts)
		for _, step := range steps {
			must(t, step.run(t.Context(), sc))
		}
		var about []string
		for _, text := range slices.Sorted(maps.Keys(seen.texts)) {
			if extras.MatchString(text) && !strings.HasPrefix(text, "CREATE") && !strings.HasPrefix(text, "INSERT") {
				about = append(about, text)
			}
		}
		return about
	}
	steps := slices.DeleteFunc(steps(), func(s step) bool { return s.name == "check" }) // it looks for everything
	for _, text := range run(steps) {
		t.Errorf("without those tables: %s", text)
	}
	if len(seen.texts) < 30 {
		t.Errorf("only %d statements", len(seen.texts))
	}
	p := Place{path: sc.path}
	about := run(append(timing(), step{run: lookClosely}))
	for _, text := range about {
		checkTimePlan(t, p, text)
	}
	if len(about) < 10 {
		t.Errorf("only %d statements", len(about))
	}
	must(t, sc.store.Close())
}

// lookClosely asks what the other steps do not.
func lookClosely(ctx context.Context, sc *scene) error {
	_, err := sc.inbox.NextDue(ctx, app.Pull{Due: true, Subscriber: "ann"})
	return err
}

// checkTimePlan refuses a plan that looks at rows in vain. What lists or counts all
// that waits reads it all. What it finds few of it may sort, and reads by number:
// a pull that finds nothing ripe takes no longer where much waits.
func checkTimePlan(t *testing.T, p Place, text string) {
	t.Helper()
	whole := !strings.Contains(text, "WHERE") || strings.Contains(text, "WHERE TRUE ORDER BY")
	few := strings.Contains(text, "until_ms <= ?") || strings.Contains(text, "made_ms > ?")
	for _, line := range plan(t, p, text) {
		scan := strings.HasPrefix(line, "SCAN") && line != "SCAN CONSTANT ROW" && !strings.HasPrefix(line, "SCAN json_each") &&
			!strings.HasPrefix(line, "SCAN (subquery")
		sort := strings.Contains(line, "TEMP B-TREE")
		walk := few && strings.HasPrefix(line, "SEARCH s ") && !strings.Contains(line, "PRIMARY KEY")
		if scan && !whole || sort && !whole && !few || walk {
			t.Errorf("%s\n\t%s", text, line)
		}
	}
}
