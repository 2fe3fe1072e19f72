package cli

import (
	"slices"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
)

// hosts looks at the hooks of hosts, in the user's configuration and in the
// project's. A host without one is passed over, unless it is wanted.
func (d *diagnosis) hosts(names []string, wanted bool) error {
	found := 0
	for _, name := range names {
		host, _ := setup.Find(name)
		var absent []setup.Report
		here := 0
		for _, project := range []bool{false, true} {
			place, err := d.session.place(project)
			if err != nil {
				return err
			}
			if host.Path(place) == "" {
				continue
			}
			report := setup.Check(host, place, "")
			if report.Absent() {
				absent = append(absent, report)
				continue
			}
			here++
			d.report(report)
		}
		if found += here; here == 0 && wanted {
			d.report(absent[0])
		}
	}
	if found == 0 && !wanted {
		d.bad("hooks", "no host has one, in your configuration or in this project's", "tundish init HOST --as WHO")
	}
	return nil
}

// report files what is known of a hook, and whether its subscriber has mail.
func (d *diagnosis) report(report setup.Report) {
	for _, f := range report.Findings {
		d.findings = append(d.findings, aboutFinding{report.Host, f})
	}
	who := report.Subscriber
	if who == "" || !d.known {
		return
	}
	if !slices.ContainsFunc(d.bindings, func(b app.BindingStatus) bool { return b.Subscriber == who }) {
		d.bad(report.Host, who+", for whom the hook pulls, has no subscription", "tundish subscribe NAME --as "+who+" --queue QUEUE")
	}
}
