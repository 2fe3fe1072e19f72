package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [HOST]",
		Short: "Find out why mail does not arrive",
		Long: `Look at everything that mail passes on its way into a session, and print a line
for each thing: ok, note, wrong or unknown, what was looked at, and what to do.
Looked at are the configuration, the database with its permissions, schema, locks
and file system, the clock, subscribers that do not read, parked and dropped
items, expressions that fail or are slow, and the hooks in the hosts'
configurations, the user's and the project's, with the databases that they use.
With HOST its hook must be there.

Exits 1 when something is wrong; a note is good to know and changes nothing. Items
and positions stay as they are.`,
		Example: "  tundish doctor\n  tundish doctor codex\n  tundish doctor --json",
		Args:    s.operands("[HOST]"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return setup.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts := setup.Names()
			if len(args) > 0 {
				if !slices.Contains(hosts, args[0]) {
					return usage("use one of "+strings.Join(hosts, ", "), "there is no host %q", args[0])
				}
				hosts = args
			}
			d := &diagnosis{session: s}
			d.inbox(cmd.Context())
			if err := d.hosts(cmd.Context(), hosts, len(args) > 0); err != nil {
				return err
			}
			return d.print(asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// diagnosis is what a doctor found so far.
type diagnosis struct {
	session  *session
	findings []aboutFinding
	bindings []app.BindingStatus
	known    bool // bindings are what is stored
}

// aboutFinding is a finding with the thing that it is about.
type aboutFinding struct {
	About string `json:"about"`
	setup.Finding
}

type doctorJSON struct {
	Healthy  bool           `json:"healthy"`
	Findings []aboutFinding `json:"findings"`
}

func (d *diagnosis) add(about string, state setup.State, what, remedy string) {
	d.findings = append(d.findings, aboutFinding{about, setup.Finding{State: state, What: what, Remedy: remedy}})
}

func (d *diagnosis) good(about, what string)        { d.add(about, setup.Good, what, "") }
func (d *diagnosis) bad(about, what, remedy string) { d.add(about, setup.Bad, what, remedy) }

// command is a command on the database that is looked at, which can be pasted.
func (d *diagnosis) command(words ...string) string {
	return setup.CommandLine(append(append([]string{"tundish"}, d.session.knownFlags()...), words...)...)
}

// allGood adds a line unless something else was found about that since.
func (d *diagnosis) allGood(since int, about, what string) {
	for _, f := range d.findings[since:] {
		if f.About == about {
			return
		}
	}
	d.good(about, what)
}

// print prints the findings. The error is for what is wrong.
func (d *diagnosis) print(asJSON bool) error {
	healthy := !slices.ContainsFunc(d.findings, func(f aboutFinding) bool { return f.State == setup.Bad })
	if asJSON {
		d.session.printJSON(doctorJSON{healthy, append([]aboutFinding{}, d.findings...)})
	} else {
		for _, f := range d.findings {
			d.session.printFinding(f.About, f.Finding)
		}
	}
	if healthy {
		return nil
	}
	return toldError{&domain.Error{Code: domain.IO, Text: "something is wrong"}}
}

// inbox looks at the configuration, the database and the mail.
func (d *diagnosis) inbox(ctx context.Context) {
	settings, path, err := d.session.configuration()
	if err == nil {
		err = checkOutbox(settings.Outbox)
	}
	if err != nil {
		d.bad("config", err.Error(), "")
		return
	}
	d.good("config", "it can be used, and names the database "+path)
	var warnings []string
	since := len(d.findings)
	err = d.session.withStore(ctx, path, func(line string) { warnings = append(warnings, line) }, func(store Store) error {
		return d.store(ctx, store, settings)
	})
	d.warned(warnings)
	if err != nil {
		d.failed(err)
		return
	}
	if !d.known {
		return
	}
	d.allGood(since, "permissions", "the database and its folder are yours alone")
	d.allGood(since, "file system", "the database is on one that can hold it")
}

// store looks into an open database.
func (d *diagnosis) store(ctx context.Context, store Store, settings config.Config) error {
	in, err := d.session.inbox(store, settings)
	if err != nil {
		return err
	}
	if !d.database(ctx, in) {
		return nil
	}
	d.locks(ctx, store)
	if d.bindings, err = in.Status(ctx); err != nil {
		return err
	}
	d.known = true
	if err := d.clock(ctx, in); err != nil {
		return err
	}
	return d.mail(ctx, in, retention(settings))
}
