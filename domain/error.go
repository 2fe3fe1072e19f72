// Package domain holds the closed set of error codes that every layer speaks.
// The rules themselves are in domain/inbox.
package domain

import (
	"errors"
	"strings"
)

// Code classes a failure by what the caller can do about it. The set is closed:
// an adapter maps its own errors to one of these, and the command line maps each
// of them to one exit code (CMD-4).
type Code uint8

// The codes. Internal is the zero value: a failure that nobody classified.
const (
	Internal    Code = iota
	Invalid          // an argument, a name or a rule value is not acceptable
	NotFound         // a subscription, binding or item does not exist
	Claimed          // another subscriber's ack or live lease stands in the way
	Payload          // a text is not a payload
	Expression       // an expression cannot be compiled or evaluated
	Deadline         // the time that was given is over
	Output           // the output could not be written in full
	Busy             // the database stayed locked by others
	Full             // no room on the disk
	ReadOnly         // the place cannot be written
	Denied           // the operating system refused access
	Foreign          // the file is not a database of ours
	Newer            // the database was written by a newer version
	Corrupt          // the database is damaged
	Unsupported      // the place cannot hold a database, such as a network file system
	IO               // any other failure of reading or writing
)

// Error is a failure with a code. Text names the value and says what is wrong;
// Remedy, which may be empty, says what to do. Both are fragments without a
// capital or a full stop. Err is the cause, if there is one worth naming.
type Error struct {
	Code   Code
	Text   string
	Remedy string
	Err    error
}

// Error joins text, cause and remedy into one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Text)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf finds the code of the outermost *Error in err's chain; Internal when
// there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
