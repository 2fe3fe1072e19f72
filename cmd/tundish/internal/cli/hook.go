package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// Bounds of a pull in a hook (HOOK-1).
const (
	hookTime       = 2 * time.Second        // unless the environment or --timeout say another
	hookInputTime  = 200 * time.Millisecond // from the first look at standard input
	hookInputBytes = 1 << 20
)

type hookFlags struct {
	host, event string
	subagents   bool
}

func (f *hookFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.host, "hook", "", "print what a hook of `HOST` takes: "+strings.Join(host.Names(), ", "))
	flags.StringVar(&f.event, "event", "", "with --hook, the `EVENT`, where the host does not name it itself")
	flags.BoolVar(&f.subagents, "subagents", false, "with --hook, deliver inside subagents too")
}

// complete offers the hosts, and the events of the one that was given. Only a
// call that completes pays for it.
func (f *hookFlags) complete(cmd *cobra.Command) {
	events := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		h, _ := host.Find(f.host)
		return h.EventNames(), cobra.ShellCompDirectiveNoFileComp
	}
	err := errors.Join(
		cmd.RegisterFlagCompletionFunc("hook", cobra.FixedCompletions(host.Names(), cobra.ShellCompDirectiveNoFileComp)),
		cmd.RegisterFlagCompletionFunc("event", events),
	)
	if err != nil {
		panic(err) // both are defined
	}
}

// completing tells whether a shell asks what could follow.
func (s *session) completing() bool {
	return len(s.Args) > 0 && strings.HasPrefix(s.Args[0], cobra.ShellCompRequestCmd)
}

// find finds the host; ok is false without --hook.
func (f *hookFlags) find(flags *pflag.FlagSet) (h host.Host, ok bool, err error) {
	if !set(flags, "hook") {
		for _, name := range []string{"event", "subagents"} {
			if set(flags, name) {
				return h, false, usage("add --hook HOST", "--%s was given without --hook", name)
			}
		}
		return h, false, nil
	}
	if h, ok = host.Find(f.host); !ok {
		return h, false, usage("use one of "+strings.Join(host.Names(), ", "), "there is no host %q", f.host)
	}
	return h, true, nil
}

// hook pulls at an event of a host (HOOK-1). Where the host takes no text, and
// inside a subagent, nothing is printed or taken, and no database is opened.
func (s *session) hook(cmd *cobra.Command, h host.Host, request app.Pull, limit timeLimit, f hookFlags) error {
	if !limit.set {
		limit = timeLimit{set: true, given: hookTime, by: "--hook"}
	}
	request.MaxBytes = hookBudget(h, request.MaxBytes, set(cmd.Flags(), "max-bytes")) - host.LeadBytes(request.Subscriber)
	if request.MaxBytes < inbox.MinMaxBytes {
		least := inbox.MinMaxBytes + host.LeadBytes(request.Subscriber)
		return usage(fmt.Sprintf("use %d or more: the first line is part of it", least), "--max-bytes is too small for a hook")
	}
	event, why, ok := h.Occasion(s.hookInput(h, s.begun.Add(limit.usable())), f.event, f.subagents)
	if !ok {
		if why == "" {
			return nil
		}
		if err := limit.over(s.begun); err != nil {
			return err // standard input may have had more to say
		}
		s.note("nothing was pulled: %s", why)
		return nil
	}
	request.ItemsOnly = event.Continues
	request.Form = func(plan inbox.Plan) ([]byte, error) { return hookText(event, request.Subscriber, plan) }
	err := s.pull(cmd, request, limit)
	if request.Due && domain.CodeOf(err) == domain.NotFound {
		return nil // who has no subscription has no mail
	}
	return err
}

// hookBudget is the size of a hook's text in bytes (HOOK-4).
func hookBudget(h host.Host, given int, set bool) int {
	if h.MaxBytes > 0 && (!set || given > h.MaxBytes) {
		return h.MaxBytes
	}
	return given
}

// hookText spells a plan for an event, with a first line that says what it is
// (HOOK-6).
func hookText(event host.Event, subscriber string, plan inbox.Plan) ([]byte, error) {
	text := plan.Output()
	if len(text) == 0 {
		return nil, nil
	}
	return event.Wrap(host.Lead(subscriber, printedQueues(plan)) + string(text))
}

// printedQueues are the queues of what a plan prints, each once.
func printedQueues(plan inbox.Plan) []string {
	var queues []string
	seen := map[string]bool{}
	for _, b := range plan.Batches {
		if queue := domain.Escape(b.Subscription.Rules.Queue); b.Printed && !seen[queue] {
			seen[queue] = true
			queues = append(queues, queue)
		}
	}
	return queues
}

// hookInput is what the host tells, until at the latest (HOOK-1).
func (s *session) hookInput(h host.Host, until time.Time) host.Input {
	switch {
	case h.Variable != "":
		return host.Input{Event: s.Getenv(h.Variable)}
	case !h.Stdin || s.terminal(s.Stdin):
		return host.Input{}
	}
	if soon := time.Now().Add(hookInputTime); soon.Before(until) {
		until = soon
	}
	return host.Read(&boundedInput{file: s.Stdin, left: hookInputBytes, until: until})
}

var errLargeInput = errors.New("standard input is too large")

// boundedInput reads so many bytes, and none that come later than until.
type boundedInput struct {
	file  *os.File
	left  int
	until time.Time
}

// Read reads what is there. It needs no goroutine, as lineReader does not.
func (b *boundedInput) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errLargeInput
	}
	if err := waitInput(b.file, time.Until(b.until)); err != nil {
		return 0, err
	}
	n, err := b.file.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// hooked tells whether a call is a hook's. It looks at the bare words: a call that
// cannot be understood is one too.
func hooked(args []string) bool {
	for _, word := range args {
		if word == "--hook" || strings.HasPrefix(word, "--hook=") {
			return true
		}
	}
	return false
}

// endHook keeps the exit code of a hook at 0 or 1, also where a fault of ours
// would end the process: hosts take 2 for an order to refuse the user's prompt, or
// to put what was said in the place of a tool's result (HOOK-2). It is deferred.
func (s *session) endHook(code *int) {
	if fault := recover(); fault != nil {
		s.note("a fault in tundish: %v", fault)
		fmt.Fprintf(s.Stderr, "%s", debug.Stack())
		*code = 1
	}
	*code = min(*code, 1)
}
