package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tundish-go/tundish/ports/storage"
)

// Renew implements [storage.OutboxUpkeep].
func (s *Store) Renew(ctx context.Context, leases []storage.LaneLease, until time.Time) (lost []string, err error) {
	err = s.push(ctx, func(p *push) error {
		for _, l := range leases {
			standing, ok := p.turns.get(l.Lane)
			if !ok || standing.Token != l.Token {
				lost = append(lost, l.Token)
				continue
			}
			standing.Until = stored(until)
			standing.Renewals++
			p.turns.put(l.Lane, standing)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// ClaimHook implements [storage.OutboxUpkeep].
func (s *Store) ClaimHook(
	ctx context.Context, entryID, owner string, now, until time.Time,
) (record storage.DeliveredRecord, ok bool, err error) {
	err = s.push(ctx, func(p *push) error {
		record, ok = p.delivered.get(entryID)
		if !ok || record.HookDone || record.HookOwner != "" && record.HookOwner != owner && record.HookUntil.After(now) {
			ok = false
			return nil
		}
		record.HookOwner, record.HookUntil = owner, stored(until)
		record.HookRuns++
		p.delivered.put(entryID, record)
		return nil
	})
	if err != nil || !ok {
		return storage.DeliveredRecord{}, false, err
	}
	return kept(record), true, nil
}

// SettleHook implements [storage.OutboxUpkeep].
func (s *Store) SettleHook(ctx context.Context, entryID, owner string, done bool, again time.Time) error {
	return s.push(ctx, func(p *push) error {
		record, ok := p.delivered.get(entryID)
		if !ok || record.HookDone || record.HookOwner != owner {
			return nil
		}
		record.HookDone, record.HookOwner, record.HookUntil = done, "", time.Time{}
		if !done {
			record.HookUntil = stored(again)
		}
		p.delivered.put(entryID, kept(record))
		return nil
	})
}

// Forget implements [storage.OutboxUpkeep]. Of both kinds together the oldest go
// first.
func (s *Store) Forget(ctx context.Context, before time.Time, limit int) (forgotten int, err error) {
	type old struct {
		at  time.Time
		id  string // of the entry
		key any    // of the row
	}
	err = s.push(ctx, func(p *push) error {
		var rows []old
		for id, record := range p.delivered.rows {
			if forgettable(record, before) {
				rows = append(rows, old{record.At, id, id})
			}
		}
		for m, record := range p.accepted.rows {
			if settled(record, before) {
				rows = append(rows, old{record.AcceptedAt, record.EntryID, m})
			}
		}
		slices.SortFunc(rows, func(a, b old) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
		rows = rows[:min(max(limit, 0), len(rows))]
		gone := map[any]bool{}
		for _, r := range rows {
			gone[r.key] = true
		}
		p.delivered.remove(func(id string) bool { return gone[id] })
		p.accepted.remove(func(m message) bool { return gone[m] })
		forgotten = len(rows)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return forgotten, nil
}

// Count implements [storage.OutboxUpkeep].
func (s *Store) Count(ctx context.Context, add, marks map[string]int64) error {
	return s.push(ctx, func(p *push) error {
		for figure, n := range add {
			p.figures.put(figure, p.figures.rows[figure]+n)
		}
		for figure, n := range marks {
			p.figures.put(figure, n)
		}
		return nil
	})
}

// The reference keeps both halves.
var (
	_ storage.Outbox = (*Store)(nil)
	_ storage.Store  = (*Store)(nil)
)
