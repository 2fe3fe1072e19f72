package cli

import (
	"embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/domain"
)

//go:embed docs/*.md
var guides embed.FS

// guide is one bundled page.
type guide struct{ topic, about string }

// topics lists the pages in the order in which they are best read.
func topics() []guide {
	return []guide{
		{"what-is-tundish", "Queues, subscriptions, delivery, acks and retention in one page"},
		{"getting-started", "Publish an item, subscribe, pull it and ack it"},
		{"hosts", "Mail in an agent's session: the hosts, what init does, what the agent sees"},
		{"how-to-claude-code", "Deliver into Claude Code"},
		{"how-to-codex", "Deliver into Codex CLI, and have its hook trusted"},
		{"how-to-gemini", "Deliver into Gemini CLI"},
		{"how-to-opencode", "Deliver into opencode"},
		{"how-to-gaff", "Deliver due items into an agent's session through a gaff handler"},
		{"how-to-others", "Deliver into Cursor, Copilot, and hosts that are not listed"},
		{"how-to-mcp", "Mail as tools of a Model Context Protocol server"},
		{"how-to-publish", "Publish from anything: shell, Python, Go, cron, webhooks, sockets; later, once"},
		{"claims", "Ack, give back, keep, read again, look; JSON and jq on it"},
		{"care", "Back up, restore, export, remove for good, find what is wrong"},
		{"outbox", "Accept prompts for sessions and deliver them: routes, states, crashes"},
		{"cli-reference", "Commands, rules, configuration, output and exit codes"},
		{"expressions", "Filters and templates: jq, its limits, and what is refused"},
	}
}

// text is the page itself.
func (g guide) text() string {
	page, err := guides.ReadFile("docs/" + g.topic + ".md")
	if err != nil {
		panic(err) // built in, and tested
	}
	return string(page)
}

func (s *session) docsCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "docs [TOPIC | list | search TEXT]",
		Short: "Read the bundled guides",
		Long: `Read the bundled guides. Opens neither configuration nor database.

For a shell and for man there is more: "tundish gen-completions SHELL" prints the
completions for bash, zsh, fish or powershell, and "tundish gen-man DIR" writes the
help of all commands as man pages.`,
		Example: `  tundish docs
  tundish docs getting-started
  tundish docs search lease
  tundish docs --all`,
		Args:              s.operands("[TOPIC]", "[TEXT]"),
		ValidArgsFunction: completeTopics,
		RunE: func(_ *cobra.Command, args []string) error {
			return s.docs(args, all)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "print all guides")
	return cmd
}

// completeTopics offers what may follow docs.
func completeTopics(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	words := []cobra.Completion{
		cobra.CompletionWithDesc("list", "Name the guides"), cobra.CompletionWithDesc("search", "Find the guides with a text"),
	}
	for _, g := range topics() {
		words = append(words, cobra.CompletionWithDesc(g.topic, g.about))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (s *session) docs(args []string, all bool) error {
	topic := ""
	if len(args) > 0 {
		topic = args[0]
	}
	if len(args) == 2 && topic != "search" {
		remedy := "tundish docs search TEXT searches all guides"
		if slices.Contains(nearWords([]string{"search"}, topic), "search") {
			remedy = "did you mean tundish docs search " + shellWord(domain.Shorten(args[1])) + "?"
		}
		return usage(remedy, "unexpected argument %q", domain.Shorten(args[1]))
	}
	switch {
	case all && len(args) > 0:
		return usage("give one of them", "--all and the topic %q were both given", domain.Shorten(topic))
	case all:
		for i, g := range topics() {
			if i > 0 {
				s.print("\n")
			}
			s.print("%s", g.text())
		}
		return nil
	case topic == "search":
		return s.searchDocs(args[1:])
	case topic == "" || topic == "list":
		s.listDocs(topics())
		return nil
	}
	for _, g := range topics() {
		if g.topic == strings.TrimSuffix(topic, ".md") {
			s.print("%s", g.text())
			return nil
		}
	}
	return noGuide(topic)
}

// noGuide says which guide may have been meant (CMD-4).
func noGuide(topic string) error {
	words := []string{"list", "search"}
	for _, g := range topics() {
		words = append(words, g.topic)
	}
	remedy := "tundish docs list names them"
	if near := nearWords(words, topic); len(near) > 0 {
		remedy = "did you mean tundish docs " + strings.Join(near, " or ") + "?"
	}
	return &domain.Error{Text: "there is no guide \"" + domain.Shorten(topic) + "\"", Remedy: remedy}
}

func (s *session) listDocs(guides []guide) {
	for _, g := range guides {
		s.print("  %-20s %s\n", g.topic, g.about)
	}
}

// searchDocs lists the guides that contain a text, in whatever case.
func (s *session) searchDocs(args []string) error {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return &domain.Error{Text: "docs search needs a text", Remedy: "give one, such as tundish docs search lease"}
	}
	var found []guide
	for _, g := range topics() {
		if strings.Contains(strings.ToLower(g.topic+"\n"+g.about+"\n"+g.text()), strings.ToLower(args[0])) {
			found = append(found, g)
		}
	}
	if len(found) == 0 {
		return &domain.Error{Text: "no guide contains \"" + domain.Shorten(args[0]) + "\"", Remedy: "tundish docs list names them"}
	}
	s.listDocs(found)
	return nil
}
