package storage

import "github.com/tundish-go/tundish/domain/inbox"

// Scan selects items of one queue with After < id, in id order.
type Scan struct {
	Queue      string
	After      int64
	Through    int64   // the last id that may come; 0 means no bound
	Key        *string // only items with this key
	Descending bool    // newest first
	Limit      int     // at most so many; 0 means no bound
	HeadsOnly  bool    // leave Key and Payload empty, and do not read them
}

// ItemReader reads items.
type ItemReader interface {
	// Item finds one item by its id; ok is false when there is none.
	Item(id int64) (item inbox.Item, ok bool, err error)
	// Scan hands over one item after another until yield answers false or an
	// error, which Scan returns. Yield may call other methods of the same reader
	// and may keep the item.
	Scan(scan Scan, yield func(inbox.Item) (bool, error)) error
	// Older lists items of a queue that were created before a time, lowest id
	// first among the limit oldest by creation.
	Older(queue string, before int64, limit int) ([]inbox.Head, error)
	// FirstSince is the lowest id of a queue's items that were created at a time or
	// later; 0 when none was.
	FirstSince(queue string, since int64) (int64, error)
	// Expired lists the ids of items of a queue that expire at a time or before,
	// ascending, among the limit that expire first.
	Expired(queue string, at int64, limit int) ([]int64, error)
	// Expiries tells when those of the given items expire that ever do.
	Expiries(items []int64) (map[int64]int64, error)
	// NextAfter is the lowest id of a queue's items above id; 0 when none.
	NextAfter(queue string, id int64) (int64, error)
}

// ItemWriter changes items.
type ItemWriter interface {
	// Insert stores an item and returns its id, which is higher than every id
	// that was ever given, in any queue. item.ID is ignored.
	Insert(item inbox.Item) (int64, error)
	// InsertAll stores items of one queue as Insert stores them one after the
	// other, for less, and returns their ids in order.
	InsertAll(items []inbox.Item) ([]int64, error)
	// Remove deletes items of a queue with their acks, leases and shown marks.
	// Ids that do not exist are passed over.
	Remove(queue string, ids []int64) error
}

// QueueReader counts. Its answers cost the same in a long queue as in a short
// one as long as ids and times of creation agree.
type QueueReader interface {
	// Queues lists the queues that hold items, in bytewise order.
	Queues() ([]inbox.QueueCount, error)
	// Count is the number of items in a queue.
	Count(queue string) (int64, error)
	// CountAfter is the number of items in a queue above id.
	CountAfter(queue string, id int64) (int64, error)
	// Newest is the highest id in a queue; 0 when it is empty.
	Newest(queue string) (int64, error)
}
