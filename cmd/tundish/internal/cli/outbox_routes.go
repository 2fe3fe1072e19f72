package cli

import (
	"errors"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/domain"
)

// outboxConfig is what the file sets of the outbox's bounds and times. What cannot
// work is told with the line of its key.
func outboxConfig(o *config.Outbox) (outbox.Config, error) {
	if o == nil {
		return outbox.Config{}, nil
	}
	c := outbox.Config{
		MaxAttempts: o.MaxAttempts, Cap: o.Cap, DedupeTTL: o.DedupeTTL, DeliveryTimeout: o.DeliveryTimeout,
		RetryBackoff: o.RetryBackoff, MaxBackoff: o.MaxBackoff, VerifyDelay: o.VerifyDelay, VerifyBackoff: o.VerifyBackoff,
		MaxVerifyBackoff: o.MaxVerifyBackoff, MaxVerifyAttempts: o.MaxVerifyAttempts, MaxTransientFailures: o.MaxTransientFailures,
		ParkedSweepInterval: o.ParkedSweepInterval, LeaseTTL: o.LeaseTTL, VerifyTimeout: o.VerifyTimeout, ProbeTimeout: o.ProbeTimeout,
		BookkeepingTimeout: o.BookkeepingTimeout, Tick: o.Tick, Workers: o.Workers,
	}
	if _, err := c.Complete(); err != nil {
		return c, configError(o.Fault(keyOf(err), reasonOf(err)))
	}
	return c, nil
}

// keyOf is the key of the field that the outbox refuses: its name in small letters
// with underscores.
func keyOf(err error) string {
	wrong, ok := errors.AsType[*outbox.FieldError](err)
	if !ok {
		return ""
	}
	return keyed(wrong.Field)
}

// reasonOf is what is wrong with the field, in which the names of other fields are
// their keys.
func reasonOf(err error) string {
	wrong, ok := errors.AsType[*outbox.FieldError](err)
	if !ok {
		return err.Error()
	}
	words := strings.Fields(wrong.Reason)
	for i, word := range words {
		name := strings.TrimRight(word, ",;")
		if _, ok := reflect.TypeFor[outbox.Config]().FieldByName(name); ok {
			words[i] = keyed(name) + word[len(name):]
		}
	}
	return strings.Join(words, " ")
}

// keyed is the key of a field.
func keyed(field string) string {
	var b strings.Builder
	for i, r := range strings.ReplaceAll(field, "TTL", "Ttl") {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// orders are the file's routes for a process that delivers nothing: what they say
// about order and duplicates.
func orders(o *config.Outbox) []outbox.Route {
	if o == nil {
		return nil
	}
	routes := make([]outbox.Route, len(o.Routes))
	for i, r := range o.Routes {
		routes[i] = outbox.Route{Workspace: r.Workspace, Idempotent: r.Idempotent, Order: outbox.Order(r.Order)}
	}
	return routes
}

// checkOutbox checks what the file says about the outbox, as far as that is possible
// without what delivers.
func checkOutbox(o *config.Outbox) error {
	if _, err := outboxConfig(o); err != nil || o == nil {
		return err
	}
	for i, r := range o.Routes {
		key := "routes[" + strconv.Itoa(i) + "]"
		if _, err := path.Match(r.Workspace, ""); err != nil {
			return configError(o.Fault(key+".workspace", "the pattern "+strconv.Quote(r.Workspace)+" is malformed; close its brackets"))
		}
		if _, err := parseSpec("receiver", r.Deliver, delivererForms()...); err != nil {
			return configError(o.Fault(key+".deliver", err.Error()))
		}
		if r.Verify != "" {
			if _, err := parseSpec("verifier", r.Verify, verifierForms()...); err != nil {
				return configError(o.Fault(key+".verify", err.Error()))
			}
		}
		if r.Ledger != "" {
			if _, err := parseSpec("ledger", r.Ledger, FormExec); err != nil {
				return configError(o.Fault(key+".ledger", err.Error()))
			}
		}
	}
	return nil
}

// partError says which key of a route an error is about.
type partError struct {
	key string
	error
}

func (e partError) Unwrap() error { return e.error }

// route makes a route of its texts. An opencode server that gets entries can also
// tell what became of them, and the inbox knows an entry that it has by its id.
func route(made Receivers, r config.Route) (done outbox.Route, err error) {
	done = outbox.Route{Workspace: r.Workspace, Idempotent: r.Idempotent, Order: outbox.Order(r.Order)}
	to, err := parseSpec("receiver", r.Deliver, delivererForms()...)
	if err == nil {
		done.Deliverer, err = made.Deliverer(to.form, to.rest)
	}
	if err != nil {
		return done, partError{"deliver", err}
	}
	done.Idempotent = done.Idempotent || to.form == FormInbox
	by := to
	if r.Verify != "" {
		by, err = parseSpec("verifier", r.Verify, verifierForms()...)
	}
	if err == nil && (r.Verify != "" || to.form == FormOpencode) {
		done.Verifier, err = made.Verifier(by.form, by.rest, done.Deliverer.Kind())
	}
	if err != nil {
		return done, partError{"verify", err}
	}
	if r.Ledger != "" {
		by, err := parseSpec("ledger", r.Ledger, FormExec)
		if err == nil {
			done.Ledger, err = made.Ledger(by.rest)
		}
		if err != nil {
			return done, partError{"ledger", err}
		}
	}
	return done, nil
}

// routes makes the routes of --deliver, and then those of the file.
func routes(made Receivers, delivers []string, o *config.Outbox) (all []outbox.Route, err error) {
	for _, text := range delivers {
		glob, to := splitDeliver(text)
		if _, err := path.Match(glob, ""); err != nil {
			return nil, usage("close its brackets", "--deliver: the pattern %q is malformed", glob)
		}
		r, err := route(made, config.Route{Workspace: glob, Deliver: to})
		if err != nil {
			return nil, &domain.Error{Code: domain.Invalid, Text: "--deliver", Err: err}
		}
		all = append(all, r)
	}
	if o == nil {
		return all, nil
	}
	for i, each := range o.Routes {
		r, err := route(made, each)
		if part, ok := errors.AsType[partError](err); ok {
			return nil, configError(o.Fault("routes["+strconv.Itoa(i)+"]."+part.key, part.Error()))
		}
		all = append(all, r)
	}
	return all, nil
}
