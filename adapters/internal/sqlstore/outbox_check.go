package sqlstore

import "fmt"

// outboxEntries names entries and delivered records that make no sense (OUT-12),
// and entries whose place in the list of what waits is wrong: they would be
// looked at in vain, or never.
func (r *reader) outboxEntries() (findings []string, err error) {
	if r.t.schema < outboxSchema {
		return nil, nil
	}
	var row entryRow
	var waits int64
	dest := append(row.head(), &row.model, &waits)
	err = r.t.each("SELECT "+entryHead+", model, waits FROM outbox_entry ORDER BY seq", nil, func() {
		e := row.read()
		if err := e.Check(); err != nil {
			findings = append(findings, fmt.Sprintf("the outbox entry %q cannot be read: %v", e.ID, err))
		} else if flag(e.Waits()) != waits {
			findings = append(findings, fmt.Sprintf("the outbox entry %q is %s and marked otherwise", e.ID, e.Status))
		}
	}, dest...)
	if err != nil {
		return nil, err
	}
	row = entryRow{}
	err = r.t.each("SELECT "+entryHead+", model FROM outbox_delivered ORDER BY seq", nil, func() {
		e := row.read()
		if err := e.Check(); err != nil {
			findings = append(findings, fmt.Sprintf("the delivered record of outbox entry %q cannot be read: %v", e.ID, err))
		}
	}, append(row.head(), &row.model)...)
	if err != nil {
		return nil, err
	}
	return findings, nil
}

// outboxOrphans names what refers to an entry that is not there, or is there
// although it must be gone.
func (r *reader) outboxOrphans() (findings []string, err error) {
	if r.t.schema < outboxSchema {
		return nil, nil
	}
	for _, look := range []struct{ query, format string }{
		{`SELECT client_message_id, entry_id FROM outbox_dedupe AS d WHERE final = ''
  AND NOT EXISTS (SELECT 1 FROM outbox_entry AS e WHERE e.id = d.entry_id AND e.workspace = d.workspace AND e.session = d.session)
ORDER BY entry_id`, "the dedupe record %q refers to the missing outbox entry %q"},
		{`SELECT client_message_id, entry_id FROM outbox_dedupe WHERE final <> ''
  AND entry_id IN (SELECT id FROM outbox_entry) ORDER BY entry_id`, "the dedupe record %q says that the outbox entry %q is gone"},
		{`SELECT client_message_id, id FROM outbox_entry WHERE id IN (SELECT id FROM outbox_delivered)
ORDER BY id`, "the client message %q, outbox entry %q, is delivered and there"},
	} {
		var client, id string
		err = r.t.each(look.query, nil, func() { findings = append(findings, fmt.Sprintf(look.format, client, id)) }, &client, &id)
		if err != nil {
			return nil, err
		}
	}
	return findings, nil
}
