package storage

import "github.com/tundish-go/tundish/domain/inbox"

// ScheduleQuery selects messages that wait for their time. Zero fields select
// everything.
type ScheduleQuery struct {
	Queue     string      // only of this one; required with Ripe
	Number    int64       // only this one
	Ripe      *inbox.Ripe // only those whose time has come by it
	Limit     int         // at most so many; 0 means no bound
	HeadsOnly bool        // leave Payload empty, and do not read it
}

// ScheduleReader reads messages that wait for their time.
type ScheduleReader interface {
	// Scheduled hands over one selected message after another, by At, then
	// Number, until yield answers false or an error, which Scheduled returns.
	// Yield may keep the message, but calls no method of the reader.
	Scheduled(query ScheduleQuery, yield func(inbox.Scheduled) (bool, error)) error
	// ScheduledCounts lists the queues for which messages wait, in bytewise order.
	ScheduledCounts() ([]inbox.QueueCount, error)
}

// ScheduleWriter changes messages that wait for their time.
type ScheduleWriter interface {
	// Schedule stores a message and returns its number, which is higher than
	// every number that was ever given. s.Number is ignored.
	Schedule(s inbox.Scheduled) (int64, error)
	// Unschedule deletes messages. Numbers that do not exist are passed over.
	Unschedule(numbers []int64) error
}

// PublishReader reads what publishers have left beside items.
type PublishReader interface {
	DedupeReader
	ScheduleReader
}

// PublishWriter changes that.
type PublishWriter interface {
	DedupeWriter
	ScheduleWriter
}
