package memory

import (
	"bytes"
	"slices"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// laneWriter reads and changes one lane of a state.
type laneWriter struct {
	*push
	lane outbox.Lane
}

func (w laneWriter) Lease() (outbox.Lease, bool, error) {
	lease, ok := w.turns.get(w.lane)
	return lease, ok, nil
}

func (w laneWriter) Heads() ([]outbox.Entry, error) {
	var heads []outbox.Entry
	for _, e := range w.entries.rows[w.lane] {
		heads = append(heads, head(read(e)))
	}
	return heads, nil
}

func (w laneWriter) Entry(id string) (outbox.Entry, bool, error) {
	entries := w.entries.rows[w.lane]
	i := at(entries, id)
	if i < 0 {
		return outbox.Entry{}, false, nil
	}
	return read(entries[i]), true, nil
}

func (w laneWriter) Held() (int, error) { return len(w.entries.rows[w.lane]), nil }

func (w laneWriter) Dedupe(clientMessageID string) (outbox.Dedupe, bool, error) {
	record, ok := w.accepted.get(message{w.lane, clientMessageID})
	return record, ok, nil
}

func (w laneWriter) WorkspaceHold() (outbox.Hold, bool, error) {
	hold, ok := w.holds.get(w.lane.Workspace)
	return hold, ok, nil
}

// Insert appends in place: states before this one end at their own length of the
// list and never look at what follows.
func (w laneWriter) Insert(entry outbox.Entry) error {
	if err := w.sound(entry); err != nil {
		return err
	}
	if at(w.entries.rows[w.lane], entry.ID) >= 0 {
		return misuse("entry %q exists already", entry.ID)
	}
	w.lastSeq++
	entry.Seq, entry.Version = w.lastSeq, 1
	w.entries.put(w.lane, append(w.entries.rows[w.lane], row(entry)))
	return nil
}

func (w laneWriter) Put(entry outbox.Entry, textless bool) error {
	if err := w.sound(entry); err != nil {
		return err
	}
	entries := w.entries.rows[w.lane]
	i := at(entries, entry.ID)
	if i < 0 {
		return misuse("put of unknown entry %q", entry.ID)
	}
	entry.Seq, entry.Version = entries[i].Seq, entries[i].Version+1
	if textless {
		entry.Text, entry.Model = entries[i].Text, entries[i].Model
	}
	w.replace(w.lane, i, row(entry))
	return nil
}

func (w laneWriter) Remove(entryID, final string) error {
	entries := w.entries.rows[w.lane]
	i := at(entries, entryID)
	if i < 0 {
		return misuse("removal of unknown entry %q", entryID)
	}
	if kept := slices.Concat(entries[:i], entries[i+1:]); len(kept) > 0 {
		w.entries.put(w.lane, kept)
	} else {
		w.entries.remove(func(l outbox.Lane) bool { return l == w.lane })
	}
	for key, record := range w.accepted.rows {
		if key.Lane == w.lane && record.EntryID == entryID {
			record.Final = final
			w.accepted.put(key, record)
		}
	}
	return nil
}

func (w laneWriter) PutDedupe(record outbox.Dedupe) error {
	if record.Lane != w.lane || record.ClientMessageID == "" {
		return misuse("dedupe record %q of another lane", record.ClientMessageID)
	}
	record.AcceptedAt = stored(record.AcceptedAt)
	w.accepted.put(message{w.lane, record.ClientMessageID}, record)
	return nil
}

func (w laneWriter) PutDelivered(record storage.DeliveredRecord) error {
	if err := w.sound(record.Entry); err != nil {
		return err
	}
	record.Entry, record.At, record.HookUntil = row(record.Entry), stored(record.At), stored(record.HookUntil)
	w.delivered.put(record.Entry.ID, kept(record))
	return nil
}

func (w laneWriter) PutLease(lease outbox.Lease) error {
	lease.Acquired, lease.Until = stored(lease.Acquired), stored(lease.Until)
	lease.Length = lease.Length.Truncate(time.Millisecond)
	w.turns.put(w.lane, lease)
	return nil
}

func (w laneWriter) DropLease() error {
	w.turns.remove(func(l outbox.Lane) bool { return l == w.lane })
	return nil
}

// sound tells whether an entry makes sense in the lane.
func (w laneWriter) sound(e outbox.Entry) error {
	if e.Lane() != w.lane {
		return misuse("entry %q of another lane", e.ID)
	}
	if err := e.Check(); err != nil {
		return misuse("entry %q makes no sense: %v", e.ID, err)
	}
	return nil
}

// kept is a record without what must not outlive its hook.
func kept(record storage.DeliveredRecord) storage.DeliveredRecord {
	if record.HookDone {
		record.Entry = head(record.Entry)
	}
	record.Entry.Model = bytes.Clone(record.Entry.Model)
	return record
}
