// Package metamorphic runs programs of operations on an inbox and writes down
// what it answers, so that inboxes on different stores can be held against each
// other: the same program under the same clock must leave the same transcript
// in memory, with either driver of SQLite, and with both taking turns on one
// file.
//
// It is test code. It stands in ordinary files because no test binary may hold
// both drivers: the tests run the program of the folder worker, once built with
// each, and talk to it over its standard input and output.
package metamorphic

import (
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// Kind says what an operation does.
type Kind string

// The kinds: the use cases of app, and three more. State writes down everything
// that the store answers, Check asks it for damage, and Reopen closes the store
// and opens another on the same place.
const (
	Publish     Kind = "publish"
	PublishAll  Kind = "publish all"
	Subscribe   Kind = "subscribe"
	Unsubscribe Kind = "unsubscribe"
	Pull        Kind = "pull"
	Ack         Kind = "ack"
	AckThrough  Kind = "ack through"
	Nack        Kind = "nack"
	Extend      Kind = "extend"
	Unpark      Kind = "unpark"
	Seek        Kind = "seek"
	Item        Kind = "item"
	List        Kind = "list"
	Queues      Kind = "queues"
	Scheduled   Kind = "scheduled"
	Unschedule  Kind = "unschedule"
	Overview    Kind = "overview"
	Status      Kind = "status"
	Check       Kind = "check"
	State       Kind = "state"
	Reopen      Kind = "reopen"
)

// Fate is what goes wrong during an operation.
type Fate string

// The fates. All but Ended befall the output of a pull.
const (
	Fine      Fate = ""
	Ended     Fate = "context ended before"
	Closed    Fate = "output closed"
	Short     Fate = "output cut short"
	Unflushed Fate = "output not flushed"
	Late      Fate = "context ended while printing"
)

// Operation is one call. Of its parameters only those of its kind count.
type Operation struct {
	Kind Kind
	Now  int64 // Unix seconds on the clock while it runs
	Fate Fate  `json:",omitempty"`

	Messages  []app.Message   `json:",omitempty"` // Publish takes the first
	Limits    inbox.Retention // of every queue
	Subscribe app.Subscribe   // Unsubscribe takes its names
	Pull      app.Pull
	Ack       app.Ack // Item takes its item, as do changes of claims, and Unschedule for a number
	Seconds   int64   `json:",omitempty"` // the delay of Nack, or the lease of Extend
	Also      int64   `json:",omitempty"` // one more item for a change of claims; 0 for none
	Seek      app.Seek
	List      app.List
}

// Answer is what an operation led to.
type Answer struct {
	Lines []string // the transcript
	// IDs are items that the operation published or printed.
	IDs []int64 `json:",omitempty"`
	// Fault is an error that no operation should meet.
	Fault string `json:",omitempty"`
	// Late tells that an expression may have run out of real time, which the
	// machine decides and no transcript can promise (RET-4, PULL-14).
	Late bool `json:",omitempty"`
}
