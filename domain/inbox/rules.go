package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// Select says which unread items a pull takes.
type Select string

// The selections: everything since the last read, or the newest few (PULL-4).
const (
	SinceLastRead Select = "since_last_read"
	Latest        Select = "latest"
)

// Consume says what makes an item done: reading it or acking it (PULL-5).
type Consume string

// The ways to consume.
const (
	OnRead Consume = "on_read"
	OnAck  Consume = "on_ack"
)

// Share says whether every subscriber gets each item or one of them (PULL-5).
type Share string

// The ways to share.
const (
	All Share = "all"
	One Share = "one"
)

// Start says where a new position stands: before every kept item, or after the
// newest (SUB-4).
type Start string

// The starts.
const (
	StartAll Start = "all"
	StartNew Start = "new"
)

// Rules are what a subscription does with its queue (OBJ-2). The field order is
// the order in which they are stored and printed (CMD-2). Limit 0 is no limit,
// Every 0 is always due; an empty Filter matches everything, an empty Template
// is the default form. Every and Lease are seconds.
type Rules struct {
	Queue       string  `json:"queue"`
	Filter      string  `json:"filter,omitempty"`
	Select      Select  `json:"select"`
	Limit       int64   `json:"limit,omitempty"`
	Consume     Consume `json:"consume"`
	Share       Share   `json:"share"`
	Every       int64   `json:"every,omitempty"`
	Template    string  `json:"template,omitempty"`
	Lease       int64   `json:"lease"`
	MaxAttempts int64   `json:"max_attempts"`
	Start       Start   `json:"start"`
}

// Defaults of the rules (CMD-2).
const (
	DefaultLease       = 600 // seconds
	DefaultMaxAttempts = 3
)

// DefaultRules are the rules of a subscription to queue that sets nothing else.
func DefaultRules(queue string) Rules {
	return Rules{
		Queue: queue, Select: SinceLastRead, Consume: OnRead, Share: All,
		Lease: DefaultLease, MaxAttempts: DefaultMaxAttempts, Start: StartAll,
	}
}

// Check reports the first rule value that cannot be used (CMD-2). Expressions
// are not looked at: compiling them is the engine's.
func (r Rules) Check() error {
	if err := CheckQueue(r.Queue); err != nil {
		return err
	}
	return r.checkValues()
}

func (r Rules) checkValues() error {
	switch {
	case r.Select != SinceLastRead && r.Select != Latest:
		return invalid("use since-last-read or latest", "select %q is unknown", domain.Shorten(string(r.Select)))
	case r.Consume != OnRead && r.Consume != OnAck:
		return invalid("use on-read or on-ack", "consume %q is unknown", domain.Shorten(string(r.Consume)))
	case r.Share != All && r.Share != One:
		return invalid("use all or one", "share %q is unknown", domain.Shorten(string(r.Share)))
	case r.Start != StartAll && r.Start != StartNew:
		return invalid("use all or new", "start %q is unknown", domain.Shorten(string(r.Start)))
	case r.Limit < 0:
		return invalid("use 1 or more, or leave it out", "limit %d is below 1", r.Limit)
	case r.Every < 0 || r.Every > MaxDuration:
		return invalid("use 1 second to 36500 days", "every %d is out of range", r.Every)
	case r.Lease < 1 || r.Lease > MaxDuration:
		return invalid("use 1 second to 36500 days", "lease %d is out of range", r.Lease)
	case r.MaxAttempts < 1:
		return invalid("use 1 or more", "max_attempts %d is below 1", r.MaxAttempts)
	case r.Select == Latest && r.Limit == 0:
		return invalid("give --limit N", "select latest needs a limit")
	case r.Select == Latest && r.Share == One:
		return invalid("use share all, or select since-last-read", "select latest cannot be combined with share one")
	}
	return nil
}

// JSON is the stored and printed form of the rules: compact, in field order.
func (r Rules) JSON() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // strings and integers always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ParseRules reads stored rules. A field it does not know comes from a newer
// version and makes the rules unusable, like a value out of range (PULL-10). A
// queue name that could not be chosen today is kept (STO-6).
func ParseRules(text string) (Rules, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	r, err := decodeRules(dec)
	if err != nil {
		return Rules{}, &domain.Error{Code: domain.Corrupt, Text: "stored rules cannot be read", Err: err}
	}
	if _, err := dec.Token(); err != io.EOF {
		return Rules{}, &domain.Error{Code: domain.Corrupt, Text: "stored rules are followed by other text"}
	}
	if r.Queue == "" {
		return Rules{}, &domain.Error{Code: domain.Corrupt, Text: "stored rules name no queue"}
	}
	if err := r.checkValues(); err != nil {
		return Rules{}, &domain.Error{Code: domain.Corrupt, Text: "stored rules cannot be used", Err: err}
	}
	return r, nil
}

// decodeRules reads one object, token by token: a hook's process reads a few
// rules in its life, and learning the fields of Rules by reflection would cost
// it more than all of them together.
func decodeRules(dec *json.Decoder) (Rules, error) {
	var r Rules
	open, err := dec.Token()
	switch {
	case err == io.EOF:
		return r, io.ErrUnexpectedEOF
	case err != nil:
		return r, err
	case open != json.Delim('{'):
		return r, errors.New("they are no JSON object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return r, err
		}
		value, err := dec.Token()
		if err != nil {
			return r, err
		}
		field, _ := name.(string) // always: the decoder lets nothing else be a name
		if err := setField(&r, field, value); err != nil {
			return r, err
		}
	}
	_, err = dec.Token()
	return r, err
}

// setField gives a field its stored value; null is none.
func setField(r *Rules, name string, value json.Token) error {
	switch name {
	case "queue":
		return setText(&r.Queue, name, value)
	case "filter":
		return setText(&r.Filter, name, value)
	case "select":
		return setText(&r.Select, name, value)
	case "limit":
		return setNumber(&r.Limit, name, value)
	case "consume":
		return setText(&r.Consume, name, value)
	case "share":
		return setText(&r.Share, name, value)
	case "every":
		return setNumber(&r.Every, name, value)
	case "template":
		return setText(&r.Template, name, value)
	case "lease":
		return setNumber(&r.Lease, name, value)
	case "max_attempts":
		return setNumber(&r.MaxAttempts, name, value)
	case "start":
		return setText(&r.Start, name, value)
	}
	return fmt.Errorf("unknown field %q", name)
}

func setText[T ~string](field *T, name string, value json.Token) error {
	switch value := value.(type) {
	case nil:
	case string:
		*field = T(value)
	default:
		return fmt.Errorf("%s is no text", name)
	}
	return nil
}

func setNumber(field *int64, name string, value json.Token) (err error) {
	switch value := value.(type) {
	case nil:
	case json.Number:
		if *field, err = value.Int64(); err != nil {
			return fmt.Errorf("%s is %s, which is no whole number that fits", name, value)
		}
	default:
		return fmt.Errorf("%s is no number", name)
	}
	return nil
}

// leases tells whether a pull under these rules grants leases (PULL-5).
func (r Rules) leases() bool { return r.Share == One && r.Consume == OnAck }

// tracksShown tells whether a pull under these rules records which items it
// showed (PULL-5).
func (r Rules) tracksShown() bool { return r.Share == All && r.Consume == OnAck }
