package outbox

import (
	"fmt"
	"path"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// Route says how the entries of some workspaces are delivered.
type Route struct {
	// Workspace is a pattern in which * stands for any text, ? for one character
	// and [a-z] for one of several; empty matches every workspace.
	Workspace string
	Deliverer delivery.Deliverer
	// Verifier finds out what became of a send; nil leaves it to the one of
	// SetVerifier, if there is one.
	Verifier delivery.Verifier
	// Ledger is the receiver's ledger of attempts; nil leaves it to SetLedgerProbe.
	Ledger LedgerProbe
	// Idempotent declares that the receiver dedupes by entry id: an entry whose fate
	// is unknown is then sent again instead of verified.
	Idempotent bool
	// Order is OrderDue when empty.
	Order Order
}

// check reports what makes a route unusable.
func (r Route) check() error {
	if _, err := path.Match(r.Workspace, ""); err != nil {
		return &domain.Error{
			Code: domain.Invalid, Text: fmt.Sprintf("the workspace pattern %q of a route is malformed", r.Workspace),
			Remedy: "close its brackets",
		}
	}
	switch r.Order {
	case "", OrderDue, OrderStrict:
		return nil
	}
	return &domain.Error{
		Code: domain.Invalid, Text: fmt.Sprintf("the order %q of a route is unknown", r.Order), Remedy: "write due or strict",
	}
}

// Matches tells whether the route is about a workspace. A slash is a character like
// any other here.
func (r Route) Matches(workspace string) bool {
	if r.Workspace == "" {
		return true
	}
	plain := strings.NewReplacer("/", "\x00").Replace
	ok, err := path.Match(plain(r.Workspace), plain(workspace))
	return ok && err == nil
}

// route finds the first of routes that matches; false when none does.
func (s *Service) route(routes []Route, workspace string) (Route, bool) {
	for _, r := range routes {
		if r.Matches(workspace) {
			if r.Verifier == nil && s.verifier != nil {
				r.Verifier = s.verifier
			}
			if r.Ledger == nil {
				r.Ledger = s.ledger
			}
			return r, true
		}
	}
	return Route{}, false
}

// known is the route of a workspace for those who do not deliver: what can verify
// and who keeps the ledger counts, even without a deliverer.
func (s *Service) known(workspace string) Route {
	r, _ := s.route(append(s.routes[:len(s.routes):len(s.routes)], Route{}), workspace)
	return r
}

func (s *Service) policy(r Route) outbox.Policy {
	return outbox.Policy{
		Config: s.config, Verifiable: r.Verifier != nil, Ledgered: r.Ledger != nil, Idempotent: r.Idempotent,
	}
}
