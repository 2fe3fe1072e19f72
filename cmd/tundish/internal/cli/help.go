package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (s *session) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND [SUBCOMMAND]]",
		Short: "Print the help of a command",
		Args:  s.operands("[COMMAND]", "[SUBCOMMAND]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			named := cmd.Root()
			for _, word := range args {
				children := named.Commands()
				at := slices.IndexFunc(children, func(child *cobra.Command) bool { return child.Name() == word })
				if at < 0 {
					return s.unknownCommand(named, word)
				}
				named = children[at]
			}
			named.InitDefaultHelpFlag()
			return named.Help()
		},
	}
}

// refuseHelp makes --help behind a word that is no command an error, as it is
// without --help.
func (s *session) refuseHelp(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			s.unknown = s.unknownCommand(cmd, words[0])
			return
		}
		help(cmd, args)
	})
}

// printUsage prints what follows the description in a command's help.
func printUsage(cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		if len(cmd.Groups()) == 0 {
			writeCommands(&b, "Commands", cmd, "")
		}
		for _, group := range cmd.Groups() {
			writeCommands(&b, group.Title, cmd, group.ID)
		}
	}
	writeFlags(&b, "Flags", cmd.LocalFlags())
	writeFlags(&b, "Global flags", cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help tells more about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// writeCommands writes the commands of a group; help itself belongs to none.
func writeCommands(b *strings.Builder, title string, cmd *cobra.Command, group string) {
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, child := range cmd.Commands() {
		if child.GroupID == group && (child.IsAvailableCommand() || child.Name() == "help") {
			fmt.Fprintf(b, "  %-*s %s\n", child.NamePadding(), child.Name(), child.Short)
		}
	}
}

// writeFlags writes a table of flags, with defaults as one would type them.
func writeFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		bare := strings.NewReplacer(`(default "`, "(default ", "\")\n", ")\n")
		fmt.Fprintf(b, "\n%s:\n%s", title, bare.Replace(flags.FlagUsages()))
	}
}
