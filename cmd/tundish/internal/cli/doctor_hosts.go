package cli

import (
	"context"
	"os"

	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
)

// hosts looks at the hooks of hosts. A host without one is passed over, unless it
// is wanted.
func (d *diagnosis) hosts(ctx context.Context, names []string, wanted bool) error {
	found := 0
	for _, name := range names {
		host, _ := setup.Find(name)
		here, err := d.host(ctx, host, wanted)
		if err != nil {
			return err
		}
		found += here
	}
	if found == 0 && !wanted {
		host, _ := setup.Find(names[0])
		d.bad("hooks", "no host has one, in your configuration or in this project's",
			"for example, run "+d.session.initLine(ctx, host, setup.Place{}, ""))
	}
	return nil
}

// host looks at the hooks of one host, in the user's configuration and in the
// project's, and counts the files that have some.
func (d *diagnosis) host(ctx context.Context, host setup.Host, wanted bool) (found int, err error) {
	user := ""
	var absent setup.Report // of the user's
	for _, project := range []bool{false, true} {
		place, err := d.session.place(project)
		if err != nil {
			return found, err
		}
		path := host.Path(place)
		if path == "" || sameFile(path, user) {
			continue
		}
		report := setup.Check(host, place, "")
		if !project {
			user, absent = path, report
			if wanted {
				d.session.adviseInit(ctx, host, place, "", &absent)
			}
		}
		if !report.Absent() {
			found++
			d.report(ctx, report)
		}
	}
	if found == 0 && wanted {
		d.report(ctx, absent)
	}
	return found, nil
}

// sameFile tells whether two paths lead to one file, as the project's does to the
// user's where somebody works in the home folder.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, again := os.Stat(b)
	return a == b || err == nil && again == nil && os.SameFile(first, second)
}

// report files what is known of a hook, and whether its subscriber has mail in the
// database that the hook uses.
func (d *diagnosis) report(ctx context.Context, report setup.Report) {
	f, differ := d.session.otherDatabase(report)
	if differ {
		f.Remedy = "to look there: " + setup.CommandLine(append(append([]string{"tundish"}, report.Flags...), "doctor", report.Host)...)
		report.Add(f)
	}
	if d.known || differ || d.session.database == "" { // else it was said what is wrong with the database
		for _, f := range d.session.hookMail(ctx, report) {
			report.Add(f)
		}
	}
	for _, f := range report.Findings {
		d.findings = append(d.findings, aboutFinding{report.Host, f})
	}
}
