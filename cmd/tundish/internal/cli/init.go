package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

type initFlags struct {
	as, queue, name      string
	user, project        bool
	print, remove, check bool
	yes, json, alone     bool
}

func (s *session) initCommand() *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use:   "init HOST --as WHO [--user | --project] [--print | --remove | --check]",
		Short: "Put the hook into the configuration of an agent's host",
		Long: `Put the hook of a subscriber into the configuration of an agent's host, so that
mail reaches its sessions. HOST is claude-code, codex, gemini, opencode, gaff,
cursor or copilot. The last two are not proven: they follow the documentation of
these hosts and were never seen to run.

The file is edited as text and keeps all else. What is added is shown, and on a
terminal asked for. A copy of the file as it was stays beside it until --remove,
which takes the hook out again. WHO gets a subscription if it has none: to the
queue of --queue, or to the one that is asked for on a terminal.`,
		Example: `  tundish init claude-code --as reviewer --queue ci
  tundish init codex --as fixer --project --queue ci --name broken
  tundish init gemini --as reviewer --print
  tundish init claude-code --check --json
  tundish init claude-code --remove`,
		Args: s.operands("HOST"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return setup.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			host, ok := setup.Find(args[0])
			if !ok {
				return usage("use one of "+strings.Join(setup.Names(), ", "), "there is no host %q", args[0])
			}
			if err := flags.verify(cmd); err != nil {
				return err
			}
			place, err := s.place(flags.project)
			if err != nil {
				return err
			}
			switch {
			case flags.check:
				return s.checkHost(cmd.Context(), host, place, flags)
			case flags.remove:
				return s.removeHost(cmd.Context(), host, place, flags)
			}
			return s.initHost(cmd, host, place, flags)
		},
	}
	flags.define(cmd.Flags())
	return cmd
}

func (f *initFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.as, "as", "", "the subscriber `WHO`: a lasting name, such as an agent's role")
	flags.BoolVar(&f.user, "user", false, "write the user's own configuration, which is the default")
	flags.BoolVar(&f.project, "project", false, "write the project's: in the root of the repository, or in this folder")
	flags.StringVar(&f.queue, "queue", "", "subscribe WHO to this `QUEUE`, unless it is already")
	flags.StringVar(&f.name, "name", "", "call that subscription `NAME`, in place of the queue's name")
	flags.BoolVar(&f.alone, "no-subscribe", false, "leave the subscriptions alone")
	flags.BoolVar(&f.yes, "yes", false, "change the file without asking on a terminal")
	flags.BoolVar(&f.print, "print", false, "print the file as it would be, the difference to standard error, and change nothing; on a terminal only the difference")
	flags.BoolVar(&f.remove, "remove", false, "take the hook out again, with --as only if it is WHO's; subscriptions stay")
	flags.BoolVar(&f.check, "check", false, "exit 0 if the hook is in place and would deliver, else 1 and say why")
	flags.BoolVar(&f.json, "json", false, "with --check, print the result as JSON")
}

// verify refuses flags that do not go together.
func (f *initFlags) verify(cmd *cobra.Command) error {
	flags := cmd.Flags()
	together := func(names ...string) error {
		var given []string
		for _, name := range names {
			if set(flags, name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return usage("give one of them", "%s and %s were both given", given[0], given[1])
		}
		return nil
	}
	for _, names := range [][]string{{"user", "project"}, {"print", "remove", "check"}, {"queue", "no-subscribe"}, {"name", "no-subscribe"}} {
		if err := together(names...); err != nil {
			return err
		}
	}
	for _, name := range []string{"queue", "name", "no-subscribe"} {
		for _, other := range []string{"remove", "check"} {
			if set(flags, name) && set(flags, other) {
				return usage("leave one of them out", "--%s has no meaning with --%s", name, other)
			}
		}
	}
	switch {
	case f.json && !f.check:
		return usage("add --check", "--json was given without --check")
	case set(flags, "name") && !set(flags, "queue"):
		return usage("add --queue QUEUE", "--name was given without --queue")
	case !set(flags, "as") && !f.remove && !f.check:
		return missing(cmd, "--as WHO")
	case set(flags, "as"):
		return inbox.CheckSubscriber(f.as)
	}
	return nil
}

// place is where hosts look for their files. Unlike the database, their files
// follow HOME.
func (s *session) place(project bool) (setup.Place, error) {
	home := s.Getenv("HOME")
	if !filepath.IsAbs(home) {
		var err error
		if home, err = config.Home(); err != nil {
			return setup.Place{}, configError(err)
		}
	}
	folder, err := os.Getwd()
	if err != nil {
		return setup.Place{}, &domain.Error{Code: domain.IO, Text: "the working directory is not known", Err: err}
	}
	return setup.Place{Home: home, Folder: projectRoot(folder), Project: project, Getenv: s.Getenv}, nil
}

// projectRoot is the root of the repository around a folder, or the folder.
func projectRoot(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return folder
		}
	}
}

// hookFlags are the global flags that a hook has to repeat to find the same mail.
func (s *session) hookFlags() ([]string, error) {
	var words []string
	for _, flag := range []struct{ name, path string }{{"--db", s.global.database}, {"--config", s.global.config}} {
		if flag.path == "" {
			continue
		}
		path, err := underHome(flag.path)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, configError(err)
		}
		words = append(words, flag.name, path)
	}
	return words, nil
}

// binary is the path that a hook runs: the program that runs now, as the PATH
// names it, which an upgrade may leave in place when the file behind it moves.
func (s *session) binary() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", &domain.Error{Code: domain.IO, Text: "the path of this program is not known", Err: err}
	}
	name, suffix := "tundish", ""
	if strings.HasSuffix(self, ".exe") {
		suffix = ".exe"
	}
	if filepath.Base(self) != name+suffix {
		self = filepath.Join(filepath.Dir(self), name+suffix)
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", &domain.Error{
			Code: domain.Invalid, Text: self + " is not there, and a hook is known by that name", Err: err, Remedy: "install tundish under its own name",
		}
	}
	for _, folder := range filepath.SplitList(s.Getenv("PATH")) {
		path := filepath.Join(folder, name+suffix)
		if there, err := os.Stat(path); err == nil && filepath.IsAbs(folder) && os.SameFile(info, there) {
			return path, nil
		}
	}
	return self, nil
}
