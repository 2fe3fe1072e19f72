package sqlstore

// outboxTables is what version 3 adds: the push half.
//
// A time of none is the zero time of Go, in milliseconds like every other, and so
// comes before all others. A delivered record has the columns of its entry. The
// indexes outbox_entry_ready and outbox_entry_due answer alone what is due, in the
// order in which lanes are taken: the one for entries that wait for no time, the
// other for the rest. Which entries wait does not depend on their time, so it is a
// column. A lane is one row for as long as it has a lease.
const outboxTables = `
CREATE TABLE outbox_entry (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,` + outboxColumns + `
  waits INTEGER NOT NULL,
  model TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_entry_ready ON outbox_entry (accepted_ms, seq, workspace, session) WHERE waits = 1 AND next_ms = ` + noTime + `;
CREATE INDEX outbox_entry_due ON outbox_entry (next_ms, seq, workspace, session) WHERE waits = 1 AND next_ms <> ` + noTime + `;
CREATE INDEX outbox_entry_lane ON outbox_entry (workspace, session);
CREATE INDEX outbox_entry_workspace ON outbox_entry (workspace);
CREATE INDEX outbox_entry_status ON outbox_entry (status);

CREATE TABLE outbox_delivered (
  delivered_ms INTEGER NOT NULL,
  hook_done INTEGER NOT NULL,
  hook_until_ms INTEGER NOT NULL,
  hook_runs INTEGER NOT NULL,
  hook_owner TEXT NOT NULL,
  seq INTEGER NOT NULL,` + outboxColumns + `
  model TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_delivered_due ON outbox_delivered (hook_until_ms, delivered_ms, id) WHERE hook_done = 0;
CREATE INDEX outbox_delivered_done ON outbox_delivered (delivered_ms, id) WHERE hook_done = 1;

CREATE TABLE outbox_dedupe (
  workspace TEXT NOT NULL,
  session TEXT NOT NULL,
  client_message_id TEXT NOT NULL,
  accepted_ms INTEGER NOT NULL,
  final TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (workspace, session, client_message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_dedupe_living ON outbox_dedupe (entry_id) WHERE final = '';
CREATE INDEX outbox_dedupe_final ON outbox_dedupe (accepted_ms) WHERE final <> '';

CREATE TABLE outbox_lane (
  workspace TEXT NOT NULL,
  session TEXT NOT NULL,
  acquired_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  length_ms INTEGER NOT NULL,
  renewals INTEGER NOT NULL,
  token TEXT NOT NULL,
  owner TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  PRIMARY KEY (workspace, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox_hold (
  workspace TEXT PRIMARY KEY,
  since_ms INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox_figure (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 3;
`

// noTime is the zero time as the file has it.
const noTime = "-62135596800000"

// outboxColumns are what an entry and a delivered record have in common, apart
// from their first and last columns.
const outboxColumns = `
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  session TEXT NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  send_token TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  attempt_no INTEGER NOT NULL,
  failed_no INTEGER NOT NULL,
  attempt_start_ms INTEGER NOT NULL,
  verify_attempts INTEGER NOT NULL,
  transient_fails INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  accepted_ms INTEGER NOT NULL,
  prior_since_ms INTEGER NOT NULL,
  unknown INTEGER NOT NULL,
  deliverer TEXT NOT NULL,
  peer_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  last_error TEXT NOT NULL,
  parked_from TEXT NOT NULL,
  parked_error TEXT NOT NULL,
  client_message_id TEXT NOT NULL,
  user_id TEXT NOT NULL,`
