package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/domain/inbox"
)

// claimFlags are those of the commands by which a subscriber claims items.
type claimFlags struct {
	subscriber, subscription string
	json                     bool
}

func (f *claimFlags) add(cmd *cobra.Command, verb string) {
	cmd.Flags().StringVar(&f.subscriber, "as", "", "the subscriber `WHO`")
	cmd.Flags().StringVar(&f.subscription, "subscription", "", "the subscription `NAME` to "+verb+" in, when WHO holds several on the item's queue")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line, one for each item")
}

// check looks at what can be refused before anything is opened.
func (f *claimFlags) check(cmd *cobra.Command) error {
	if !set(cmd.Flags(), "as") {
		return missing(cmd, "--as WHO")
	}
	if set(cmd.Flags(), "subscription") {
		return inbox.CheckSubscription(f.subscription)
	}
	return nil
}

// items checks that ids follow a command.
func (s *session) items(cmd *cobra.Command, args []string) error {
	return s.operands("ID")(cmd, args[:min(len(args), 1)])
}

// refusedJSON is the part of a result in which somebody else stands in the way.
type refusedJSON struct {
	Owner string `json:"owner"`
	At    int64  `json:"at,omitempty"`    // when another acked it
	Until int64  `json:"until,omitempty"` // when another's lease ends
}

// refused prints who stands in the way, if that is what went wrong: of one item
// that says all, of several standard error names the one (ACK-1, ACK-3). Value is
// what is printed as JSON; nil for the line of ACK-1.
func (s *session) refused(err error, items int, value func(claimed *inbox.ClaimedError) any) error {
	claimed, ok := errors.AsType[*inbox.ClaimedError](err)
	if !ok {
		return err
	}
	if value != nil {
		s.printJSON(value(claimed))
	} else {
		s.print("%s\n", claimed.Outcome())
	}
	if items > 1 {
		return err
	}
	return toldError{err}
}
