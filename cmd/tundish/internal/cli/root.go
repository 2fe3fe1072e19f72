package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/domain"
)

// errVersion says that --version was given, with whatever command.
var errVersion = errors.New("version asked for")

// root builds the tree of commands, as far as this call needs it. It only
// allocates: nothing is opened, and no expression or configuration is read.
func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tundish COMMAND",
		Short: "A local inbox that agents subscribe to",
		Long: `A local inbox that agents subscribe to, and an outbox for their sessions.

Programs publish JSON items into queues of one SQLite file. A subscription
filters and renders the items of a queue. A hook runs "tundish pull", and what
it prints enters an agent's session; "tundish init" puts it in place. The other
way, "tundish outbox" takes prompts for sessions and delivers them.`,
		Example: `  tundish publish ci '{"repo":"web","ok":false}'
  tundish subscribe builds --as reviewer --queue ci --filter '.payload.ok | not'
  tundish pull --due --as reviewer`,
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
		Args:                  s.noCommand,
		RunE:                  func(*cobra.Command, []string) error { return nil },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			s.changes = changes(cmd.Name())
			if err := s.checkGlobals(cmd.Flags()); err != nil {
				return err
			}
			return s.compileJQ(cmd.Context(), cmd.Flags())
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(s.Stdin)
	root.SetOut(s.text)
	root.SetErr(s.Stderr)
	root.SetFlagErrorFunc(s.flagError)
	root.SetUsageFunc(printUsage)
	s.refuseHelp(root)
	flags := root.PersistentFlags()
	flags.StringVar(&s.global.database, "db", "", "the database `PATH`, in place of the configuration's")
	flags.StringVar(&s.global.config, "config", "", "the configuration `PATH`, in place of ~/.config/tundish/config.yml")
	flags.StringVar(&s.global.now, "now", "", "take this Unix time in `SECONDS` for the time of day, for tests")
	flags.BoolP("version", "V", false, "print the version")
	flags.SortFlags = false
	s.addCommands(root)
	each(root, func(cmd *cobra.Command) {
		s.addJQ(cmd)
		if s.completing() {
			s.completeNames(cmd)
		} else { // a completion parses the words more than once
			cmd.Flags().VisitAll(givenOnce)
		}
		cmd.Flags().SortFlags = false
		cmd.DisableFlagsInUseLine = true
	})
	root.SetHelpCommand(s.helpCommand())
	return root
}

// each does something to all commands below one.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	for _, child := range cmd.Commands() {
		do(child)
		each(child, do)
	}
}

// command is one that is made when it is needed.
type command struct {
	name string
	make func() *cobra.Command
}

// addCommands adds the command that is called, or all when it is none of these:
// building all of them is a good part of what a short call costs.
func (s *session) addCommands(root *cobra.Command) {
	called := ""
	if at := commandIndex(s.Args, root); at >= 0 {
		called = s.Args[at]
		if next := commandIndex(s.Args[at+1:], root); called == "outbox" && next >= 0 {
			s.sub = s.Args[at+1+next]
		}
	}
	groups := []struct {
		title    string
		commands []command
	}{
		{"Publish", []command{{"publish", s.publishCommand}, {"unschedule", s.unscheduleCommand}}},
		{"Subscribe and read", []command{
			{"subscribe", s.subscribeCommand}, {"unsubscribe", s.unsubscribeCommand}, {"pull", s.pullCommand},
			{"wait", s.waitCommand}, {"follow", s.followCommand}, {"seek", s.seekCommand},
		}},
		{"Claims", []command{
			{"ack", s.ackCommand}, {"nack", s.nackCommand}, {"extend", s.extendCommand}, {"unpark", s.unparkCommand},
		}},
		{"Look", []command{{"show", s.showCommand}, {"list", s.listCommand}, {"status", s.statusCommand}}},
		{"Agents and their hosts", []command{
			{"init", s.initCommand}, {"doctor", s.doctorCommand}, {"mcp", s.mcpCommand}, {"prime", s.primeCommand}, {"outbox", s.outboxCommand},
		}},
		{"Care", []command{
			{"check", s.checkCommand}, {"backup", s.backupCommand}, {"restore", s.restoreCommand}, {"export", s.exportCommand}, {"import", s.importCommand},
			{"purge", s.purgeCommand}, {"delete", s.deleteCommand}, {"vacuum", s.vacuumCommand},
		}},
		{"About", []command{{"docs", s.docsCommand}, {"version", s.versionCommand}}},
	}
	for _, g := range groups {
		for _, c := range g.commands {
			if c.name == called {
				root.AddCommand(c.make())
				return
			}
		}
	}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			made := c.make()
			made.GroupID = g.title
			root.AddCommand(made)
		}
	}
	root.AddCommand(s.manCommand(), s.referenceCommand(), s.completionsCommand())
}

// noCommand refuses a call without a command, or with one that does not exist.
func (s *session) noCommand(cmd *cobra.Command, args []string) error {
	if set(cmd.Flags(), "version") {
		return errVersion
	}
	if len(args) == 0 {
		if !cmd.HasParent() {
			return usage("tundish --help lists the commands, and tundish docs getting-started shows the way of an item", "a command is missing")
		}
		return usage("one of "+strings.Join(commandNames(cmd), ", ")+" must follow, such as "+cmd.CommandPath()+" list --help", "a command is missing")
	}
	return s.unknownCommand(cmd, args[0])
}

func (s *session) unknownCommand(parent *cobra.Command, name string) error {
	if !parent.HasParent() && s.belowOutbox(name) {
		program := "tundish"
		if s.Receivers != nil {
			program = "tundish-outbox"
		}
		return usage("did you mean "+program+" outbox "+name+"?", "there is no command %q", domain.Shorten(name))
	}
	parent.SuggestionsMinimumDistance = 2
	if near := parent.SuggestionsFor(name); len(near) > 0 {
		return usage("did you mean "+strings.Join(near, " or ")+"?", "there is no command %q", domain.Shorten(name))
	}
	return usage(parent.CommandPath()+" --help lists the commands", "there is no command %q", domain.Shorten(name))
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "help" {
			names = append(names, cmd.Name())
		}
	}
	return names
}

// checkGlobals checks the flags that every command has.
func (s *session) checkGlobals(flags *pflag.FlagSet) error {
	switch {
	case set(flags, "db") && s.global.database == "":
		return usage("name a file", "--db is empty")
	case s.global.database == "~":
		return usage("name a file, such as ~/tundish.db", "--db ~ is a folder")
	case strings.HasPrefix(s.global.database, ":memory:"):
		return usage("name a file", "--db %s would be lost at once", s.global.database)
	case set(flags, "config") && s.global.config == "":
		return usage("name a file", "--config is empty")
	}
	if s.global.now == "" && !set(flags, "now") {
		return nil
	}
	now, err := number("now", s.global.now, 0)
	if err != nil {
		return err
	}
	s.Clock = fixedClock{Clock: s.Clock, seconds: now}
	return nil
}

// set tells whether a flag was given.
func set(flags *pflag.FlagSet, name string) bool { return flags.Changed(name) }

// flagError words what is wrong with a flag. Where the word outbox was forgotten,
// that is what is wrong.
func (s *session) flagError(cmd *cobra.Command, err error) error {
	if at := commandIndex(s.Args, cmd); !cmd.HasParent() && at >= 0 && s.belowOutbox(s.Args[at]) {
		return s.unknownCommand(cmd, s.Args[at])
	}
	remedy := cmd.CommandPath() + " --help lists the flags"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return usage(remedy, "there is no flag -%s", name)
		}
		if near := nearFlags(cmd, name); len(near) > 0 {
			remedy = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return usage(remedy, "there is no flag --%s", name)
	}
	text, needs := strings.CutPrefix(err.Error(), "flag needs an argument: ")
	if needs {
		text += " needs a value"
	}
	return usage(remedy, "%s", text)
}

// nearFlags are the flags of cmd that begin with name, or else look like it.
func nearFlags(cmd *cobra.Command, name string) []string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	near := nearWords(names, name)
	for i := range near {
		near[i] = "--" + near[i]
	}
	return near
}

// nearWords are those of some words that begin with one, or else look like it. The
// measure is cobra's, which it has for commands only.
func nearWords(words []string, word string) (near []string) {
	all := &cobra.Command{SuggestionsMinimumDistance: min(2, len(word)/2)}
	for _, w := range words {
		if strings.HasPrefix(w, word) {
			near = append(near, w)
		}
		all.AddCommand(&cobra.Command{Use: w, Run: func(*cobra.Command, []string) {}})
	}
	if len(near) > 0 {
		return near
	}
	return all.SuggestionsFor(word)
}

// changes tells whether a command changes what is stored, or marks something as
// delivered.
func changes(command string) bool {
	switch command {
	case "publish", "unschedule", "subscribe", "unsubscribe", "pull", "follow", "ack", "nack", "extend", "seek", "mcp":
		return true
	case "delete", "purge", "restore", "import", "vacuum", "init":
		return true
	case "accept", "retry", "dismiss", "park", "unpark", "cleanup", "sweep", "run": // of outbox
		return true
	}
	return false
}
