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
	// Check looks, when a worker starts, whether what a form needs is there. A
	// warning is for what may still come; empty means that all is well.
	Check(form, rest string) (warning string, err error)
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
		if form == FormOpencode && !strings.HasPrefix(strings.ToLower(rest), "http://") && !strings.HasPrefix(strings.ToLower(rest), "https://") {
			return spec{}, &domain.Error{
				Code: domain.Invalid, Text: fmt.Sprintf("%q holds no address of a server", bare(text)),
				Remedy: "write opencode:http://HOST:PORT or opencode:https://HOST",
			}
		}
		return spec{form, rest}, nil
	}
	return spec{}, &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf("%q is no form of a %s", bare(text), what), Remedy: "use " + spelled(forms)}
}

// bare is a text that is no good, as far as it can be shown: an address up to its
// host, a command up to its arguments, and nothing behind the form where a password
// may be.
func bare(text string) string {
	end := len(text)
	if strings.Contains(text, "@") {
		end = strings.IndexAny(text, ":@") + 1
		if text[end-1] == '@' {
			end = 0
		}
	} else {
		from := 0
		if at := strings.Index(text, "://"); at >= 0 {
			from = at + len("://")
		}
		cut := " ?#&="
		if from > 0 {
			cut += "/"
		}
		if at := strings.IndexAny(text[from:], cut); at >= 0 {
			end = from + at
		}
	}
	if shown := domain.Shorten(text[:end]); end == len(text) || shown != text[:end] {
		return shown
	}
	return text[:end] + "…"
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
