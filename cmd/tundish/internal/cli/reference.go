package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/domain"
)

func (s *session) referenceCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "gen-reference FILE",
		Short:  "Write the reference of all commands as Markdown",
		Hidden: true,
		Args:   s.operands("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.WriteFile(args[0], []byte(reference(cmd.Root())), 0o644); err != nil {
				return &domain.Error{Code: domain.IO, Text: "the reference cannot be written", Err: err}
			}
			return nil
		},
	}
}

// reference is the help of every command on one page.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nMade from the commands' own help by `make docs`: change it there.\n")
	b.WriteString("`tundish COMMAND --help` prints the same, and `tundish gen-man DIR` writes it as manual pages.\n\n")
	pages := []*cobra.Command{root}
	each(root, func(child *cobra.Command) {
		if child.IsAvailableCommand() && child.Name() != "help" {
			pages = append(pages, child)
		}
	})
	for _, page := range pages[1:] {
		title := page.CommandPath()
		fmt.Fprintf(&b, "- [%s](#%s) %s\n", title, strings.ReplaceAll(title, " ", "-"), page.Short)
	}
	for _, page := range pages {
		referencePage(&b, page)
	}
	return b.String()
}

func referencePage(b *strings.Builder, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(b, "\n## %s\n\n```text\n%s\n```\n\n%s\n", cmd.CommandPath(), cmd.UseLine(), text)
	if cmd.Example != "" {
		lines := strings.Split(cmd.Example, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line, "  ")
		}
		fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.Join(lines, "\n"))
	}
	if cmd.HasParent() {
		referenceFlags(b, "flag", cmd.NonInheritedFlags())
		return
	}
	referenceFlags(b, "flag of every command", cmd.PersistentFlags())
}

func referenceFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	rows := ""
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Name == "help" {
			return
		}
		value, text := pflag.UnquoteUsage(flag)
		name := "`--" + strings.TrimSpace(flag.Name+" "+value) + "`"
		if flag.Shorthand != "" {
			name = "`-" + flag.Shorthand + "`, " + name
		}
		if flag.DefValue != "" && flag.DefValue != "false" && flag.DefValue != "[]" {
			text += " (default " + flag.DefValue + ")"
		}
		rows += fmt.Sprintf("| %s | %s |\n", cell.Replace(name), cell.Replace(text))
	})
	if rows != "" {
		fmt.Fprintf(b, "\n| %s | |\n| --- | --- |\n%s", title, rows)
	}
}
