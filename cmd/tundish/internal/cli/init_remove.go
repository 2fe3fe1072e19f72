package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
)

// removeHost takes the hook out again (SETUP-5).
func (s *session) removeHost(ctx context.Context, host setup.Host, place setup.Place, flags initFlags) error {
	change, err := setup.Undo(host, place)
	if err != nil {
		return err
	}
	if change.Nothing() {
		s.print("no hook of tundish in %s\n", change.Path)
		return nil
	}
	if whose := others(change.Whose, flags.as); flags.as != "" && len(whose) > 0 {
		return usage("run "+host.Init(place, whose[0], nil, "--remove"), "the hook in %s is for %s, not for %s",
			change.Path, strings.Join(whose, " and "), flags.as)
	}
	if err := s.confirmChange(change, flags.yes); err != nil {
		return err
	}
	if err := change.Apply(); err != nil {
		return err
	}
	switch {
	case change.Removes && change.Edited != "":
		s.print("removed %s\n", change.Path)
	case change.Removes:
		s.print("removed %s, in which nothing else was\n", change.Path)
	case change.Backup != "":
		s.print("%s is as it was before, to the byte; %s is gone\n", change.Path, change.Backup)
	default:
		s.print("took the hook out of %s\n", change.Path)
	}
	if change.Stays != "" {
		s.print("it was edited since, so that the copy of the file as it was before stays: %s\n", change.Stays)
	}
	s.tellEdited(change)
	s.tellSubscriptions(ctx, change)
	return nil
}

// others are the subscribers but for one.
func others(all []string, who string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(is string) bool { return is == who })
}

// tellSubscriptions says what a removed hook leaves in its database.
func (s *session) tellSubscriptions(ctx context.Context, change *setup.Change) {
	m, err := s.mailbox(ctx, change.Flags)
	if err != nil {
		s.print("subscriptions stay\n")
		return
	}
	for _, who := range change.Whose {
		for _, name := range m.of(who) {
			words := append(append([]string{"tundish"}, change.Flags...), "unsubscribe", name, "--as", who)
			s.print("%s still subscribes to %s; to end that: %s\n", who, name, setup.CommandLine(words...))
		}
	}
}
