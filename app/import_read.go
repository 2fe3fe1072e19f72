package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// maxLine bounds a line of an export, in bytes: a payload with all that can stand
// around it.
const maxLine = MaxPayloadBytes + 4<<20

// sink takes the lines of an export.
type sink interface {
	header(headerLine) error
	subscription(inbox.Subscription, []inbox.Binding) error
	item(context.Context, inbox.Item, attached) error
	dedupe(inbox.Dedupe) error
	scheduled(inbox.Scheduled) error
}

// reading is one pass over an export.
type reading struct {
	in    *Inbox
	sink  sink
	lines int64 // so far
	place int   // in the order of types
	ended bool
	top   int64               // the last id that was given, by the header
	last  int64               // id of an item
	bound map[string][]string // who is bound, by subscription
	waits map[int64]bool      // numbers of scheduled messages
}

// read checks all lines of an export and hands them to a sink. What is wrong with
// one names its number.
func (in *Inbox) read(ctx context.Context, source io.ReadSeeker, to sink) error {
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return unreadable(err)
	}
	r := &reading{in: in, sink: to, bound: map[string][]string{}, waits: map[int64]bool{}}
	scanner := bufio.NewScanner(source)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	for scanner.Scan() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.line(ctx, scanner.Bytes()); err != nil {
			return atLine(r.lines+1, err)
		}
		r.lines++
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return atLine(r.lines+1, malformed("it is longer than %d bytes", maxLine))
	case err != nil:
		return unreadable(err)
	case r.lines == 0:
		return notExport("there is nothing")
	case !r.ended:
		return atLine(r.lines, malformed("it is the last one, but no end line: the rest is missing"))
	}
	return nil
}

func unreadable(err error) error {
	return &domain.Error{Code: domain.IO, Text: "the export cannot be read", Err: err}
}

func malformed(format string, args ...any) error {
	return &domain.Error{Code: domain.Payload, Text: fmt.Sprintf(format, args...)}
}

func notExport(what string) error {
	return &domain.Error{Code: domain.Payload, Text: what, Remedy: "give what tundish export has written"}
}

// atLine says where an error is. What the store says is no fault of the line.
func atLine(number int64, err error) error {
	code := domain.CodeOf(err)
	if code != domain.Payload && code != domain.Invalid {
		return err
	}
	return &domain.Error{Code: domain.Payload, Text: fmt.Sprintf("line %d", number), Err: err}
}

func (r *reading) line(ctx context.Context, text []byte) error {
	var kind struct{ Type string }
	types := [...]string{typeHeader, typeSubscription, typeItem, typeDedupe, typeScheduled, typeEnd}
	if err := json.Unmarshal(text, &kind); err != nil {
		return notExport("it is no JSON object")
	}
	place := slices.Index(types[:], kind.Type)
	switch {
	case r.lines == 0 && place != 0:
		return notExport("it is no header of an export")
	case place < 0:
		return notExport(fmt.Sprintf("there is no type %q", domain.Shorten(kind.Type)))
	case place < r.place || place == 0 && r.lines > 0 || r.ended:
		return malformed("a line of type %s cannot come here", kind.Type)
	}
	r.place = place
	switch kind.Type {
	case typeHeader:
		return r.header(text)
	case typeSubscription:
		return r.subscription(text)
	case typeItem:
		return r.item(ctx, text)
	case typeDedupe:
		return r.dedupe(text)
	case typeScheduled:
		return r.scheduled(text)
	}
	return r.end(text)
}

// decode reads one JSON object that has no other fields than line has.
func decode(text []byte, line any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(line); err != nil {
		return malformed("%v", err)
	}
	return nil
}

func (r *reading) header(text []byte) error {
	var line headerLine
	if err := json.Unmarshal(text, &line); err != nil || line.Format != formatName {
		return notExport("it is no header of an export")
	}
	if line.Version != formatVersion {
		return &domain.Error{
			Code: domain.Newer, Remedy: "install a newer tundish",
			Text: fmt.Sprintf("the export has version %d, and this tundish knows %d", line.Version, formatVersion),
		}
	}
	if err := decode(text, &line); err != nil {
		return err
	}
	if !natural(line.LastItem, line.LastPull, line.LastScheduled) {
		return malformed("a number is out of range")
	}
	r.top = line.LastItem
	return r.sink.header(line)
}

func (r *reading) end(text []byte) error {
	var line endLine
	if err := decode(text, &line); err != nil {
		return err
	}
	if line.Lines != r.lines {
		return malformed("it says that %d lines came before, but there were %d", line.Lines, r.lines)
	}
	r.ended = true
	return nil
}

// maxNumber leaves room above every id for those that are given later.
const maxNumber = 1 << 62

// natural tells whether ids, counts and the like are in range.
func natural(numbers ...int64) bool {
	return !slices.ContainsFunc(numbers, func(n int64) bool { return n < 0 || n > maxNumber })
}
