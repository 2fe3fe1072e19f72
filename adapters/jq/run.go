package jq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/itchyny/gojq"

	"github.com/tundish-go/tundish/ports"
)

// run is one evaluation: its bounds, the order of the keys of its objects, and
// what its expression asked for before. It belongs to one goroutine.
type run struct {
	*meter
	program  *program
	known    orders
	patterns map[[2]string]*pattern
	now      int64
	read     int // nodes of the JSON that was read last

	entryKeys, matchKeys, captureKeys []string
}

// start begins an evaluation of p.
func (p *program) start(ctx context.Context, now int64) *run {
	return &run{
		meter: newMeter(ctx), program: p, known: orders{}, now: now,
		entryKeys:   []string{"key", "value"},
		matchKeys:   []string{"offset", "length", "string", "captures"},
		captureKeys: []string{"offset", "length", "string", "name"},
	}
}

// item is what an expression sees of doc, with the payload or, for an expression
// that does not look at it, null in its place.
func (r *run) item(doc ports.Document, withPayload bool) (any, error) {
	item := map[string]any{
		"id":         json.Number(strconv.FormatInt(doc.ID, 10)),
		"queue":      doc.Queue,
		"key":        nil,
		"payload":    nil,
		"created_at": json.Number(strconv.FormatInt(doc.CreatedAt, 10)),
	}
	if doc.Key != nil {
		item["key"] = *doc.Key
	}
	r.known.note(item, []string{"id", "queue", "key", "payload", "created_at"})
	if !withPayload {
		return item, nil
	}
	payload, err := r.decode(doc.Payload)
	if err != nil {
		return nil, fmt.Errorf("the payload cannot be read: %w", err)
	}
	item["payload"] = payload
	return item, nil
}

// outputs calls yield with each output of the expression for input, until yield
// wants no more. The error is the expression's, yield's, or the cause of the
// caller's context.
func (r *run) outputs(input any, yield func(any) (more bool, err error)) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the expression does something that the engine cannot do")
			if r.err != nil {
				err = r.err
			}
		}
	}()
	r.poll()
	if r.err != nil {
		return r.err
	}
	if err := r.program.prepare(); err != nil {
		return err
	}
	outputs := r.program.code.RunWithContext(r.meter, input, r)
	r.engine = outputs
	for {
		v, ok := outputs.Next()
		if r.err != nil {
			return r.err
		}
		if !ok {
			return nil
		}
		if failure, failed := v.(error); failed {
			return r.describe(failure)
		}
		if more, err := yield(v); err != nil || !more {
			return err
		}
	}
}

// describe turns an error of the engine into one of ours: a value that error was
// called with is printed within bounds, which the engine's own text is not.
func (r *run) describe(failure error) error {
	var thrown gojq.ValueError
	if !errors.As(failure, &thrown) {
		return failure
	}
	text, isText := thrown.Value().(string)
	if !isText {
		var err error
		if text, err = r.encode(thrown.Value(), 4096); err != nil {
			text = "a large value"
		}
		text += " (not a string)"
	}
	return errors.New(text[:min(len(text), 4096)])
}

// encode returns v as compact JSON of at most limit bytes.
func (r *run) encode(v any, limit int) (string, error) {
	e := encoder{known: r.known, limit: limit}
	if err := e.encode(v); err != nil {
		return "", err
	}
	if err := r.spend(len(e.buf) + e.nodes); err != nil {
		return "", err
	}
	return string(e.buf), nil
}
