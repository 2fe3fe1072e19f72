package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/domain"
)

func (s *session) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "gen-man DIR",
		Short:  "Write the man pages into a directory",
		Hidden: true,
		Args:   s.operands("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			pages := []*cobra.Command{root}
			each(root, func(child *cobra.Command) {
				if child.IsAvailableCommand() && child.Name() != "help" {
					pages = append(pages, child)
				}
			})
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return &domain.Error{Code: domain.IO, Text: "the man pages cannot be written", Err: err}
			}
			for _, page := range pages {
				path := filepath.Join(args[0], manName(page)+".1")
				if err := os.WriteFile(path, []byte(manPage(page, s.Version)), 0o644); err != nil {
					return &domain.Error{Code: domain.IO, Text: "the man pages cannot be written", Err: err}
				}
			}
			return nil
		},
	}
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage writes a command's help in the man macros. It is small, and linking a
// Markdown converter for it would cost every start.
func manPage(cmd *cobra.Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"tundish %s\" \"tundish\"\n", strings.ToUpper(roff(manName(cmd))), version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		for i, paragraph := range strings.Split(cmd.Long, "\n\n") {
			if i > 0 {
				b.WriteString(".PP\n")
			}
			b.WriteString(roff(paragraph) + "\n")
		}
	}
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "GLOBAL OPTIONS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	b.WriteString(`.SH EXIT STATUS
0: done. 1: an error. 2: a wrong call, or something that does not exist.
3: another subscriber has the item, or a worker the entry. 4: the session's
outbox is full.
`)
	manSeeAlso(&b, cmd)
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(flag *pflag.Flag) {
		value, text := pflag.UnquoteUsage(flag)
		name := "--" + flag.Name
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n", roff(strings.TrimSpace(name+" "+value)))
		if flag.DefValue != "" && flag.DefValue != "false" && flag.DefValue != "[]" {
			text += " (default " + flag.DefValue + ")"
		}
		b.WriteString(roff(text) + "\n")
	})
}

func manSeeAlso(b *strings.Builder, cmd *cobra.Command) {
	var others []string
	for _, other := range cmd.Root().Commands() {
		if other != cmd && other.IsAvailableCommand() && other.Name() != "help" {
			others = append(others, ".BR "+roff(manName(other))+" (1)")
		}
	}
	fmt.Fprintf(b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
}

// roff escapes what the formatter would take for its own.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
