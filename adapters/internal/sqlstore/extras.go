package sqlstore

// extrasTables is what version 4 adds to the inbox: notes of acks, items that
// expire, and messages that wait for their time.
//
// SQLite reads the whole schema at every start, so that these tables are made when
// one of them is first written to, inside the unit of work that does so. Readers
// of an older schema do not look for them. A scheduled message has no item id yet:
// positions could not skip it. Its made_ms is the clock's answer when it was
// scheduled for a delay, and NULL when it was scheduled for a time.
const extrasTables = `
CREATE TABLE note (
  subscription_id INTEGER NOT NULL REFERENCES subscription (id),
  item_id         INTEGER NOT NULL,
  text            TEXT    NOT NULL,
  PRIMARY KEY (subscription_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_item ON note (item_id);

CREATE TABLE expiry (
  item_id  INTEGER PRIMARY KEY,
  queue_id INTEGER NOT NULL REFERENCES queue (id),
  until_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX expiry_until ON expiry (queue_id, until_ms);

CREATE TABLE scheduled (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id   INTEGER NOT NULL REFERENCES queue (id),
  at_ms      INTEGER NOT NULL,
  made_ms    INTEGER,
  expires_ms INTEGER,
  dedupe     TEXT,
  key        TEXT,
  payload    TEXT    NOT NULL
) STRICT;
CREATE INDEX scheduled_at   ON scheduled (queue_id, at_ms);
CREATE INDEX scheduled_made ON scheduled (queue_id, made_ms) WHERE made_ms IS NOT NULL;

PRAGMA user_version = 4;
`

// hasExtras tells whether the database has the tables of version 4.
func (r *reader) hasExtras() bool { return r.t.schema >= extrasSchema }

// extras makes them, if need be, inside the current transaction, which holds the
// write lock: nobody else can be at it, and a rollback takes them away again.
func (w *writer) extras() error {
	if w.hasExtras() {
		return nil
	}
	if err := w.t.ready(); err != nil {
		return err
	}
	if err := migrateFrom(w.t.ctx, w.t.sess, w.t.schema, extrasSchema); err != nil {
		return w.t.fail(err)
	}
	w.t.schema = extrasSchema
	return nil
}
