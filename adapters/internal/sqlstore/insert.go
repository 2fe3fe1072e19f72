package sqlstore

import (
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// Insert implements [storage.ItemWriter].
func (w *writer) Insert(item inbox.Item) (int64, error) {
	id, err := w.add(item, 0)
	if err == nil {
		err = w.count(item.Queue, id, 1)
	}
	return id, err
}

// InsertAll implements [storage.ItemWriter]. It counts the items once.
func (w *writer) InsertAll(items []inbox.Item) (ids []int64, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	ids = make([]int64, len(items))
	for i, item := range items {
		if ids[i], err = w.add(item, i); err != nil {
			return nil, err
		}
	}
	return ids, w.count(items[0].Queue, ids[len(ids)-1], len(ids))
}

// add stores an item behind so many that are not counted yet.
func (w *writer) add(item inbox.Item, behind int) (int64, error) {
	payload := view(item.Payload)
	id, found, err := w.append(item, payload, behind)
	if err == nil && !found {
		if err = w.addQueue(item.Queue); err == nil {
			id, found, err = w.append(item, payload, behind)
		}
	}
	if err == nil && !found {
		err = &domain.Error{Code: domain.Internal, Text: "a queue did not take an item"}
	}
	if err != nil {
		return 0, err
	}
	return id, w.expire(id, item)
}

// append stores an item in a queue that exists; found is false when it does not.
func (w *writer) append(item inbox.Item, payload string, behind int) (id int64, found bool, err error) {
	n, id, err := w.t.exec(`
INSERT INTO item (queue_id, seq, created_ms, key, payload)
SELECT id, next_seq + ?, ?, ?, ? FROM queue WHERE name = ?`,
		behind, toMS(item.CreatedAt), text(item.Key), payload, item.Queue)
	return id, n == 1, err
}

// count takes the newest items of a queue, up to an id, into its row.
func (w *writer) count(queue string, newest int64, items int) error {
	_, _, err := w.t.exec("UPDATE queue SET kept = kept + ?, newest_id = ?, next_seq = next_seq + ? WHERE name = ?",
		items, newest, items, queue)
	return err
}
