//go:build unix

package hosts_test

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"
	"time"
)

// table is what was seen, a row for each host and event.
type table struct{ rows []*row }

type row struct {
	host, version, event string
	result, seen, acked  string
	took                 time.Duration
}

// add adds the row of a test, which it fills in when the test has ended.
func (a *table) add(t *testing.T, host, version, event string) *row {
	r := &row{host: host, version: version, event: event, seen: "-", acked: "-"}
	a.rows = append(a.rows, r)
	start := time.Now()
	t.Cleanup(func() {
		r.took, r.result = time.Since(start), "PASS"
		if t.Failed() {
			r.result, r.acked = "FAIL", "-"
		}
	})
	return r
}

// version is a host's. A host that is not there fails, and has a row that says so.
func (a *table) version(t *testing.T, h agent) (version string) {
	defer func() {
		if version == "" {
			a.rows = append(a.rows, &row{host: h.name(), version: "missing", event: "-", result: "FAIL", seen: "-", acked: "-"})
		}
	}()
	return h.version(t)
}

func (a *table) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nHOST\tVERSION\tEVENT\tRESULT\tREQUEST\tACKED WITH\tSECONDS")
	for _, r := range a.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.0f\n", r.host, r.version, r.event, r.result, r.seen, r.acked, r.took.Seconds())
	}
	w.Flush()
}
