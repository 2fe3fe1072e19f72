package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/domain"
)

func (s *session) completionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "gen-completions SHELL",
		Short:  "Print the completions for a shell: bash, zsh, fish or powershell",
		Hidden: true,
		Args:   s.operands("SHELL"),

		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []cobra.Completion{"bash", "zsh", "fish", "powershell"}, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch strings.ToLower(args[0]) {
			case "bash":
				return root.GenBashCompletionV2(s.text, true)
			case "zsh":
				return root.GenZshCompletion(s.text)
			case "fish":
				return root.GenFishCompletion(s.text, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(s.text)
			}
			return usage("use bash, zsh, fish or powershell", "there are no completions for %q", domain.Shorten(args[0]))
		},
	}
}
