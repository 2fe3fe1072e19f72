package memory

import (
	"cmp"

	"github.com/tundish-go/tundish/domain/inbox"
)

func (r reader) Dedupe(queue, id string) (inbox.Dedupe, bool, error) {
	record, ok := r.dedupes.get(origin{queue, id})
	return record, ok, nil
}

func (w writer) PutDedupe(record inbox.Dedupe) error {
	w.dedupes.put(origin{record.Queue, record.ID}, record)
	return nil
}

// ForgetDedupes starts with the oldest, which the contract leaves open.
func (w writer) ForgetDedupes(before int64, limit int) error {
	old := w.dedupes.pick(func(d inbox.Dedupe) bool { return d.At < before }, func(a, b inbox.Dedupe) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.ID, b.ID))
	})
	forget := map[origin]bool{}
	for _, d := range old[:min(limit, len(old))] {
		forget[origin{d.Queue, d.ID}] = true
	}
	w.dedupes.remove(func(o origin) bool { return forget[o] })
	return nil
}
