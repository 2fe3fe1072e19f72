package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// checkHost prints how the hook stands; the error is for one that is not in place
// or would not deliver (SETUP-6).
func (s *session) checkHost(ctx context.Context, host setup.Host, place setup.Place, flags initFlags) error {
	report := setup.Check(host, place, flags.as)
	s.adviseInit(ctx, host, place, flags.as, &report)
	for _, f := range s.hookMail(ctx, report) {
		report.Add(f)
	}
	if s.global.database != "" || s.global.config != "" {
		if f, differ := s.otherDatabase(report); differ {
			f.State, f.Remedy = setup.Bad, "run "+host.Init(place, report.Subscriber, s.knownFlags(), "--no-subscribe")
			report.Add(f)
			report.InPlace = false
		}
	}
	if flags.json {
		s.printJSON(report)
	} else {
		for _, f := range report.Findings {
			s.printFinding(host.Name, f)
		}
	}
	if report.Delivers {
		return nil
	}
	return toldError{&domain.Error{Code: domain.IO, Text: "the hook of " + host.Title + " would not deliver"}}
}

// printFinding prints one line: a word for the state, what was looked at, and what
// to do.
func (s *session) printFinding(about string, f setup.Finding) {
	remedy := ""
	if f.Remedy != "" {
		remedy = "; " + f.Remedy
	}
	s.print("%-7s %s: %s\n", f.State, about, domain.Escape(f.What+remedy))
}

// mailbox is what a database has for the subscribers of hooks.
type mailbox struct {
	path     string // absolute
	none     bool   // there is no database
	bindings []app.BindingStatus
	queue    string // one to subscribe to: of the database, if it has one
}

// mailbox looks into the database that global flags lead to, and makes none.
func (s *session) mailbox(ctx context.Context, flags []string) (m mailbox, err error) {
	m.queue = "ci"
	there := s.with(flags)
	settings, path, err := there.configuration()
	if err != nil {
		return m, err
	}
	if m.path, err = filepath.Abs(path); err != nil {
		return m, err
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		m.none = true
		return m, nil
	}
	err = there.withStore(ctx, path, func(string) {}, func(store Store) error {
		in, err := there.inbox(store, settings)
		if err != nil {
			return err
		}
		if m.bindings, err = in.Status(ctx); err != nil {
			return err
		}
		queues, err := in.Queues(ctx)
		for _, q := range queues {
			if inbox.CheckSubscription(q.Queue) == nil {
				m.queue = q.Queue
				break
			}
		}
		return err
	})
	return m, err
}

// with is the session as flags such as --db would have made it.
func (s *session) with(flags []string) *session {
	there := *s
	there.global.database, there.global.config = "", ""
	for i := 0; i+1 < len(flags); i += 2 {
		switch flags[i] {
		case "--db":
			there.global.database = flags[i+1]
		case "--config":
			there.global.config = flags[i+1]
		}
	}
	return &there
}

// of are the subscriptions of a subscriber.
func (m mailbox) of(who string) (names []string) {
	for _, b := range m.bindings {
		if b.Subscriber == who {
			names = append(names, b.Subscription)
		}
	}
	return names
}

// subscribe is a command that gives a subscriber a subscription: one that is there,
// which keeps its rules, or one on a queue.
func (m mailbox) subscribe(who string, flags []string) string {
	words := append(append([]string{"tundish"}, flags...), "subscribe")
	if len(m.bindings) > 0 {
		words = append(words, m.bindings[0].Subscription, "--as", who)
	} else {
		words = append(words, m.queue, "--as", who, "--queue", m.queue)
	}
	return setup.CommandLine(words...)
}

// hookMail looks whether the subscriber of a hook has a subscription, in the
// database that the hook uses (SETUP-6).
func (s *session) hookMail(ctx context.Context, report setup.Report) []setup.Finding {
	who := report.Subscriber
	if who == "" {
		return nil // there is no hook, or it was said
	}
	m, err := s.mailbox(ctx, report.Flags)
	if err != nil {
		return []setup.Finding{{State: setup.Bad, What: "the mail of " + who + " cannot be looked at: " + err.Error()}}
	}
	names := m.of(who)
	switch {
	case len(names) > 0:
		return []setup.Finding{{State: setup.Good, What: who + " subscribes to " + strings.Join(names, ", ") + " in " + m.path}}
	case m.none:
		return []setup.Finding{{
			State: setup.Bad, What: "there is no database at " + m.path + ", where the hook pulls for " + who,
			Remedy: "for example, run " + m.subscribe(who, report.Flags),
		}}
	}
	return []setup.Finding{{
		State: setup.Bad, What: who + ", for whom the hook pulls, has no subscription in " + m.path,
		Remedy: "for example, run " + m.subscribe(who, report.Flags),
	}}
}

// otherDatabase tells when a hook uses another database than this call.
func (s *session) otherDatabase(report setup.Report) (f setup.Finding, differ bool) {
	if report.Subscriber == "" {
		return f, false
	}
	_, hooks, err := s.with(report.Flags).configuration()
	if err != nil {
		return f, false // hookMail says so
	}
	_, ours, err := s.configuration()
	if err != nil {
		return f, false
	}
	for _, path := range []*string{&hooks, &ours} {
		if absolute, err := filepath.Abs(*path); err == nil {
			*path = absolute
		}
	}
	f = setup.Finding{State: setup.Note, What: "the hook uses " + hooks + ", this looks at " + ours}
	return f, !sameFile(hooks, ours)
}

// knownFlags are hookFlags where a remedy needs them.
func (s *session) knownFlags() []string {
	flags, err := s.hookFlags()
	if err != nil {
		return nil
	}
	return flags
}

// adviseInit gives the report on a host without a hook a call of init that works as
// it is: for a subscriber that exists, or with a queue.
func (s *session) adviseInit(ctx context.Context, host setup.Host, place setup.Place, who string, report *setup.Report) {
	if report.Absent() {
		report.Findings[0].Remedy = "run " + s.initLine(ctx, host, place, who)
	}
}

func (s *session) initLine(ctx context.Context, host setup.Host, place setup.Place, who string) string {
	flags := s.knownFlags()
	m, _ := s.mailbox(ctx, flags) // init will say what is wrong with it
	if who == "" && len(m.bindings) > 0 {
		who = m.bindings[0].Subscriber
	}
	var more []string
	if who == "" {
		who = "agent"
	}
	if !slices.ContainsFunc(m.bindings, func(b app.BindingStatus) bool { return b.Subscriber == who }) {
		more = []string{"--queue", m.queue}
	}
	return host.Init(place, who, flags, more...)
}
