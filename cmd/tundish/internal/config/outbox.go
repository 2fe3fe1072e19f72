package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Outbox is what the file says about the outbox. Zero is not set: the default
// holds (OUT-16).
type Outbox struct {
	MaxAttempts, Cap, MaxVerifyAttempts, MaxTransientFailures, Workers int

	DedupeTTL, DeliveryTimeout            time.Duration
	RetryBackoff, MaxBackoff              time.Duration
	VerifyDelay                           time.Duration
	VerifyBackoff, MaxVerifyBackoff       time.Duration
	ParkedSweepInterval                   time.Duration
	LeaseTTL, VerifyTimeout, ProbeTimeout time.Duration
	BookkeepingTimeout, Tick, Drain       time.Duration
	Routes                                []Route

	path  string
	lines map[string]int // of each key that is set
}

// Route says how the entries of some workspaces are delivered. Its texts are as
// they were written.
type Route struct {
	Workspace               string // a pattern; empty matches everything
	Deliver, Verify, Ledger string
	Idempotent              bool
	Order                   string // due or strict; empty when it is not set
}

// Fault makes the error of a value that cannot be used. Key is below outbox, such
// as routes[0].deliver.
func (o *Outbox) Fault(key, reason string) error {
	return &FileError{Path: o.path, Line: o.lines[key], Key: dotted("outbox", key), Reason: reason}
}

// outboxKeys are the keys in the order of the guide.
func outboxKeys() []string {
	return []string{
		"max_attempts", "cap", "dedupe_ttl", "delivery_timeout", "retry_backoff", "max_backoff", "verify_delay", "verify_backoff",
		"max_verify_backoff", "max_verify_attempts", "max_transient_failures", "parked_sweep_interval", "lease_ttl", "verify_timeout",
		"probe_timeout", "bookkeeping_timeout", "tick", "workers", "drain", "routes",
	}
}

// field finds where the value of a key goes: a *int, a *time.Duration or a
// *[]Route; nil for a key that is not known.
func (o *Outbox) field(key string) any {
	fields := []any{
		&o.MaxAttempts, &o.Cap, &o.DedupeTTL, &o.DeliveryTimeout, &o.RetryBackoff, &o.MaxBackoff, &o.VerifyDelay, &o.VerifyBackoff,
		&o.MaxVerifyBackoff, &o.MaxVerifyAttempts, &o.MaxTransientFailures, &o.ParkedSweepInterval, &o.LeaseTTL, &o.VerifyTimeout,
		&o.ProbeTimeout, &o.BookkeepingTimeout, &o.Tick, &o.Workers, &o.Drain, &o.Routes,
	}
	for i, name := range outboxKeys() {
		if name == key {
			return fields[i]
		}
	}
	return nil
}

func (r *reader) outbox(value *yaml.Node) error {
	if null(value) {
		return nil
	}
	o := &Outbox{path: r.path, lines: map[string]int{}}
	r.config.Outbox = o
	return r.mapping(value, "outbox", func(key string, at, value *yaml.Node) (err error) {
		path := dotted("outbox", key)
		o.lines[key] = value.Line
		switch field := o.field(key).(type) {
		case *int:
			*field, err = r.count(value, path)
		case *time.Duration:
			*field, err = r.duration(value, path)
		case *[]Route:
			*field, err = r.routes(value, path, o.lines)
		default:
			err = r.unknown(at, path, strings.Join(outboxKeys(), ", "))
		}
		return err
	})
}

func (r *reader) count(value *yaml.Node, key string) (int, error) {
	if null(value) {
		return 0, nil
	}
	n, err := strconv.ParseInt(value.Value, 10, 64)
	switch {
	case value.Kind != yaml.ScalarNode, value.ShortTag() != "!!int", err != nil, n > math.MaxInt32:
		return 0, r.fault(value.Line, key, "%s is not a whole number that fits; use one such as 5", describe(value))
	case n < 1:
		return 0, r.fault(value.Line, key, "%d is below 1; use 1 or more, or leave it out for the default", n)
	}
	return int(n), nil
}

func (r *reader) duration(value *yaml.Node, key string) (time.Duration, error) {
	if null(value) {
		return 0, nil
	}
	if value.Kind != yaml.ScalarNode {
		return 0, r.fault(value.Line, key, "%s stands where a duration must, such as 10s", describe(value))
	}
	length, err := r.source.Fine(value.Value)
	if err != nil {
		return 0, r.fault(value.Line, key, "%v", err)
	}
	return length, nil
}

func (r *reader) routes(value *yaml.Node, prefix string, lines map[string]int) (routes []Route, err error) {
	if null(value) {
		return nil, nil
	}
	if value.Kind != yaml.SequenceNode || value.ShortTag() != "!!seq" {
		return nil, r.fault(value.Line, prefix, "%s stands where a list of routes must", describe(value))
	}
	for i, node := range value.Content {
		path := prefix + "[" + strconv.Itoa(i) + "]"
		route, err := r.route(node, path, lines)
		if err != nil {
			return nil, err
		}
		routes = append(routes, route)
	}
	return routes, nil
}

func (r *reader) route(node *yaml.Node, prefix string, lines map[string]int) (route Route, err error) {
	if node.Kind == yaml.AliasNode {
		return route, r.fault(node.Line, prefix, "references such as *%s are not read here; write the value", node.Value)
	}
	err = r.mapping(node, prefix, func(key string, at, value *yaml.Node) (err error) {
		path := dotted(prefix, key)
		lines[strings.TrimPrefix(path, "outbox.")] = value.Line
		switch key {
		case "workspace":
			route.Workspace, err = r.words(value, path, "a pattern must, such as team-*")
		case "deliver":
			route.Deliver, err = r.words(value, path, "a receiver must, such as exec:PROGRAM")
		case "verify":
			route.Verify, err = r.words(value, path, "a verifier must, such as exec:PROGRAM")
		case "ledger":
			route.Ledger, err = r.words(value, path, "a ledger must, such as exec:PROGRAM")
		case "idempotent":
			route.Idempotent, err = r.truth(value, path)
		case "order":
			if route.Order, err = r.words(value, path, "due or strict must"); err == nil && route.Order != "" && route.Order != "due" && route.Order != "strict" {
				err = r.fault(value.Line, path, "%s is not an order; write due or strict", describe(value))
			}
		default:
			err = r.unknown(at, path, "workspace, deliver, verify, ledger, idempotent and order")
		}
		return err
	})
	if err == nil && route.Deliver == "" {
		err = r.fault(node.Line, dotted(prefix, "deliver"), "the key is missing; say where to, such as exec:PROGRAM")
	}
	return route, err
}

// words reads a text that is not empty.
func (r *reader) words(value *yaml.Node, key, must string) (string, error) {
	switch {
	case null(value):
		return "", nil
	case value.Kind != yaml.ScalarNode:
		return "", r.fault(value.Line, key, "%s stands where %s", describe(value), must)
	case value.Value == "":
		return "", r.fault(value.Line, key, "the text is empty; leave the key out instead")
	}
	return value.Value, nil
}

func (r *reader) truth(value *yaml.Node, key string) (bool, error) {
	if null(value) {
		return false, nil
	}
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool" {
		return strings.EqualFold(value.Value, "true"), nil
	}
	return false, r.fault(value.Line, key, "%s is neither true nor false", describe(value))
}
