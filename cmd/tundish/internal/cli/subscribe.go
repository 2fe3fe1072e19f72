package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
)

type subscribeFlags struct {
	as, queue                            string
	filter, selected, limit, consume     string
	share, every, template, lease, start string
	attempts                             string
}

func (s *session) subscribeCommand() *cobra.Command {
	var flags subscribeFlags
	cmd := &cobra.Command{
		Use:   "subscribe NAME --as WHO [--queue QUEUE [RULES]]",
		Short: "Bind a subscriber; with --queue, create or replace the rules",
		Long: `Bind a subscriber to a subscription, and print the stored rules.

With --queue the subscription is created, or all its rules are replaced: a rule
that is left out takes its default. Without --queue the rules stay as they are.
Filters and templates are jq over {id, queue, key, payload, created_at}.`,
		Example: `  tundish subscribe builds --as reviewer --queue ci --filter '.payload.ok | not'
  tundish subscribe work --as w1 --queue jobs --share one --consume on-ack --lease 10m
  tundish subscribe digest --as lead --queue ci --select latest --limit 5 --every 1h
  tundish subscribe builds --as fixer`,
		Args: s.operands("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := flags.rules(cmd.Flags())
			if err != nil {
				return err
			}
			if !set(cmd.Flags(), "as") {
				return missing(cmd, "--as WHO")
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				request := app.Subscribe{Name: args[0], Subscriber: flags.as, Rules: rules}
				done, err := in.Subscribe(cmd.Context(), request)
				if err != nil {
					return flags.naming(err)
				}
				remarks := RemarksOnSubscribe(ByCommand, request, done)
				if s.asJSON {
					s.printJSON(subscribedOf(request, done, remarks))
				} else {
					s.printSubscribed(args[0], flags.as, done)
				}
				s.noteAll(remarks)
				return nil
			})
		},
	}
	flags.define(cmd.Flags())
	s.addJSON(cmd)
	for flag, values := range map[string][]cobra.Completion{
		"select": {"since-last-read", "latest"}, "consume": {"on-read", "on-ack"}, "share": {"all", "one"}, "start": {"all", "new"},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // it is defined above
		}
	}
	return cmd
}

func (f *subscribeFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.as, "as", "", "the subscriber `WHO`: a lasting name, such as an agent's role")
	flags.StringVar(&f.queue, "queue", "", "create the subscription on this `QUEUE`, or replace its rules")
	flags.StringVar(&f.filter, "filter", "", "a jq `EXPRESSION`; items match when any output is neither false nor null")
	flags.StringVar(&f.selected, "select", "since-last-read", "`HOW` to choose: since-last-read, or latest for the newest --limit items only")
	flags.StringVar(&f.limit, "limit", "", "at most `N` items a pull")
	flags.StringVar(&f.consume, "consume", "on-read", "`HOW` an item is done: on-read, or on-ack when someone acked it")
	flags.StringVar(&f.share, "share", "all", "`HOW` subscribers share: all get every item, or one of them gets each")
	flags.StringVar(&f.every, "every", "", "with pull --due, deliver at most once in this `DURATION`, such as 90s, 10m, 1h")
	flags.StringVar(&f.template, "template", "", "a jq `EXPRESSION` whose output is the printed text")
	flags.StringVar(&f.lease, "lease", "600s", "under --share one --consume on-ack an item is held for this `DURATION`")
	flags.StringVar(&f.attempts, "max-attempts", "3", "`N` leases on an item before it is parked")
	flags.StringVar(&f.start, "start", "all", "`WHERE` to begin: all, or new to leave out what is there already")
}

// ruleFlags are the flags that mean nothing without --queue.
func ruleFlags() []string {
	return []string{"filter", "select", "limit", "consume", "share", "every", "template", "lease", "max-attempts", "start"}
}

// rules turns the flags into rules (CMD-2); nil without --queue.
func (f *subscribeFlags) rules(flags *pflag.FlagSet) (*inbox.Rules, error) {
	if !set(flags, "queue") {
		for _, name := range ruleFlags() {
			if set(flags, name) {
				return nil, usage("add --queue QUEUE and all other rules that are to hold", "--%s changes rules, and --queue is missing", name)
			}
		}
		return nil, nil
	}
	rules := inbox.DefaultRules(f.queue)
	rules.Filter, rules.Template = f.filter, f.template
	if err := f.choices(&rules); err != nil {
		return nil, err
	}
	for _, each := range []struct{ name, text string }{{"filter", f.filter}, {"template", f.template}} {
		if set(flags, each.name) && strings.TrimSpace(each.text) == "" {
			return nil, &domain.Error{Code: domain.Expression, Text: fmt.Sprintf("--%s %q is empty", each.name, each.text), Remedy: "give a jq expression, or leave it out"}
		}
	}
	if err := f.numbers(flags, &rules); err != nil {
		return nil, err
	}
	return &rules, rules.Check()
}

func (f *subscribeFlags) numbers(flags *pflag.FlagSet, rules *inbox.Rules) (err error) {
	if set(flags, "limit") {
		if rules.Limit, err = number("limit", f.limit, 1); err != nil {
			return err
		}
	}
	if rules.MaxAttempts, err = number("max-attempts", f.attempts, 1); err != nil {
		return err
	}
	if set(flags, "every") {
		if rules.Every, err = duration("every", f.every); err != nil {
			return err
		}
	}
	rules.Lease, err = duration("lease", f.lease)
	return err
}

func (f *subscribeFlags) choices(rules *inbox.Rules) (err error) {
	if rules.Select, err = choice("select", f.selected, inbox.SinceLastRead, inbox.Latest); err != nil {
		return err
	}
	if rules.Consume, err = choice("consume", f.consume, inbox.OnRead, inbox.OnAck); err != nil {
		return err
	}
	if rules.Share, err = choice("share", f.share, inbox.All, inbox.One); err != nil {
		return err
	}
	rules.Start, err = choice("start", f.start, inbox.StartAll, inbox.StartNew)
	return err
}

// choice reads a flag that takes one of two values. A flag spells with a hyphen
// what is stored with an underscore.
func choice[T ~string](flag, text string, a, b T) (T, error) {
	spelled := func(value T) string { return strings.ReplaceAll(string(value), "_", "-") }
	switch text {
	case spelled(a):
		return a, nil
	case spelled(b):
		return b, nil
	}
	return "", usage("use "+spelled(a)+" or "+spelled(b), "--%s %q is unknown", flag, domain.Shorten(text))
}

// duration reads the duration of a flag in seconds (OBJ-6).
func duration(flag, text string) (int64, error) {
	seconds, err := inbox.ParseDuration(text)
	return seconds, ofFlag(flag, err)
}

// ofFlag adds the flag to an error about its value.
func ofFlag(flag string, err error) error {
	if err == nil {
		return nil
	}
	return &domain.Error{Code: domain.Invalid, Text: "--" + flag, Err: err}
}

// naming adds to the error of an expression from which flag it came (CMD-3).
func (f *subscribeFlags) naming(err error) error {
	var broken *ports.CompileError
	if !errors.As(err, &broken) {
		return err
	}
	flag := "--template"
	if broken.Text == f.filter {
		flag = "--filter"
	}
	return &domain.Error{Code: domain.CodeOf(err), Text: flag, Err: err}
}

func (s *session) printSubscribed(name, who string, done app.Subscribed) {
	switch {
	case done.Created:
		s.print("created %s\n", name)
	case done.MovedFrom != "":
		s.print("moved %s from %s; its positions, acks, and leases were reset\n", name, domain.Escape(done.MovedFrom))
	case done.Replaced:
		s.print("replaced the rules of %s\n", name)
	}
	if done.Bound {
		s.print("bound %s to %s\n", who, name)
	}
	s.print("rules: %s\n", done.Rules.JSON())
}

type subscribedJSON struct {
	Subscription string          `json:"subscription"`
	Subscriber   string          `json:"subscriber"`
	Created      bool            `json:"created"`
	Replaced     bool            `json:"replaced"`
	MovedFrom    string          `json:"moved_from,omitempty"`
	Bound        bool            `json:"bound"` // by this call
	Rules        json.RawMessage `json:"rules"`
	SharedWith   []string        `json:"shared_with,omitempty"` // whose rules were replaced too
	Lost         []int64         `json:"lost,omitempty"`        // leased items that nobody gets again
	Notes        []string        `json:"notes,omitempty"`       // as on standard error
}

func subscribedOf(request app.Subscribe, done app.Subscribed, remarks []string) subscribedJSON {
	return subscribedJSON{
		request.Name, request.Subscriber, done.Created, done.Replaced, done.MovedFrom, done.Bound,
		json.RawMessage(done.Rules.JSON()), done.SharedWith, done.Lost, remarks,
	}
}

// noteAll writes each remark as a note.
func (s *session) noteAll(remarks []string) {
	for _, line := range remarks {
		s.note("%s", line)
	}
}
