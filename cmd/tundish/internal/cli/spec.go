package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// The forms of what a route names.
const (
	FormExec     = "exec"
	FormHTTP     = "http" // https too: the rest is the whole address
	FormOpencode = "opencode"
	FormInbox    = "inbox"
)

// Receivers makes what routes name. Errors have code Invalid and show no secret.
type Receivers interface {
	// Deliverer makes the deliverer of a form from the rest of its text.
	Deliverer(form, rest string) (delivery.Deliverer, error)
	// Verifier makes a verifier of sends of a kind of deliverer: a program, or an
	// opencode server.
	Verifier(form, rest, kind string) (delivery.Verifier, error)
	// Ledger makes a probe of a program.
	Ledger(rest string) (delivery.LedgerProbe, error)
}

// Publish publishes a payload into a queue of the inbox, unless one with that id
// for duplicates was published before.
type Publish func(ctx context.Context, queue, key, dedupe string, payload []byte) error

// spec is a text such as exec:PROGRAM, split.
type spec struct{ form, rest string }

// parseSpec reads a text of one of the forms.
func parseSpec(what, text string, forms ...string) (spec, error) {
	for _, form := range forms {
		if form == FormHTTP && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")) {
			return spec{form, text}, nil
		}
		rest, ok := strings.CutPrefix(text, form+":")
		if !ok || form == FormHTTP {
			continue
		}
		if strings.TrimSpace(rest) == "" {
			return spec{}, &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf("nothing follows %s:", form), Remedy: "use " + spelled(forms)}
		}
		if form == FormInbox {
			if err := inbox.CheckQueue(rest); err != nil {
				return spec{}, err
			}
		}
		return spec{form, rest}, nil
	}
	// What follows a colon may be an address with a password in it.
	begin, _, colon := strings.Cut(text, ":")
	begin = domain.Shorten(begin)
	if colon {
		begin += ":"
	}
	return spec{}, &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf("%q is no form of a %s", begin, what), Remedy: "use " + spelled(forms)}
}

// spelled lists forms for a message.
func spelled(forms []string) string {
	known := map[string]string{
		FormExec: "exec:PROGRAM", FormHTTP: "http://… or https://…", FormOpencode: "opencode:URL", FormInbox: "inbox:QUEUE",
	}
	texts := make([]string, len(forms))
	for i, form := range forms {
		texts[i] = known[form]
	}
	return strings.Join(texts, ", ")
}

func delivererForms() []string { return []string{FormExec, FormHTTP, FormOpencode, FormInbox} }
func verifierForms() []string  { return []string{FormExec, FormOpencode} }

// splitDeliver splits what --deliver is given into a pattern, which may be
// missing, and the rest. A pattern may hold an equals sign itself: it ends where
// a form begins.
func splitDeliver(text string) (glob, rest string) {
	begins := func(text string) bool {
		for _, form := range []string{"exec:", "http://", "https://", "opencode:", "inbox:"} {
			if strings.HasPrefix(text, form) {
				return true
			}
		}
		return false
	}
	if begins(text) {
		return "", text
	}
	for i := range len(text) {
		if text[i] == '=' && begins(text[i+1:]) {
			return text[:i], text[i+1:]
		}
	}
	if glob, rest, ok := strings.Cut(text, "="); ok && !strings.Contains(glob, ":") {
		return glob, rest
	}
	return "", text
}
