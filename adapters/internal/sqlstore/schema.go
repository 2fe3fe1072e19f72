package sqlstore

// schema is version 2, the first one that is ours.
//
// A queue keeps its row when it is empty, with the counters that make counting
// cheap. item.seq numbers the items of one queue without a gap, as long as
// retention takes the oldest first: then seq alone tells how many items lie
// between two. Small columns stand before large ones, since SQLite reads a row
// from its start. Nothing refers to item: an ack may come before or after.
const schema = `
CREATE TABLE queue (
  id        INTEGER PRIMARY KEY,
  name      TEXT    NOT NULL UNIQUE,
  kept      INTEGER NOT NULL DEFAULT 0,
  newest_id INTEGER NOT NULL DEFAULT 0,
  next_seq  INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE item (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id   INTEGER NOT NULL REFERENCES queue (id),
  seq        INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  key        TEXT,
  payload    TEXT    NOT NULL
) STRICT;
CREATE INDEX item_queue   ON item (queue_id);
CREATE INDEX item_created ON item (queue_id, created_ms);
CREATE INDEX item_key     ON item (queue_id, key) WHERE key IS NOT NULL;

CREATE TABLE subscription (
  id         INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL UNIQUE,
  queue_id   INTEGER NOT NULL REFERENCES queue (id),
  rules      TEXT    NOT NULL,
  scan       INTEGER NOT NULL DEFAULT 0,
  dropped    INTEGER NOT NULL DEFAULT 0,
  errors     INTEGER NOT NULL DEFAULT 0,
  parked     INTEGER NOT NULL DEFAULT 0,
  last_error TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX subscription_queue ON subscription (queue_id);

CREATE TABLE binding (
  subscription_id INTEGER NOT NULL REFERENCES subscription (id),
  subscriber      TEXT    NOT NULL,
  position        INTEGER NOT NULL DEFAULT 0,
  next_ms         INTEGER NOT NULL DEFAULT 0,
  last_pull       INTEGER NOT NULL DEFAULT 0,
  dropped         INTEGER NOT NULL DEFAULT 0,
  errors          INTEGER NOT NULL DEFAULT 0,
  parked          INTEGER NOT NULL DEFAULT 0,
  last_error      TEXT    NOT NULL DEFAULT '',
  judged_after    INTEGER NOT NULL DEFAULT 0,
  judged_through  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_id, subscriber)
) STRICT, WITHOUT ROWID;
CREATE INDEX binding_subscriber ON binding (subscriber);

CREATE TABLE ack (
  subscription_id INTEGER NOT NULL REFERENCES subscription (id),
  item_id         INTEGER NOT NULL,
  owner           TEXT    NOT NULL,
  at_ms           INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ack_item ON ack (item_id);

CREATE TABLE lease (
  subscription_id INTEGER NOT NULL REFERENCES subscription (id),
  item_id         INTEGER NOT NULL,
  owner           TEXT    NOT NULL,
  granted_ms      INTEGER NOT NULL,
  until_ms        INTEGER NOT NULL,
  attempts        INTEGER NOT NULL,
  parked          INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_item    ON lease (item_id);
CREATE INDEX lease_until   ON lease (subscription_id, until_ms)   WHERE parked = 0;
CREATE INDEX lease_granted ON lease (subscription_id, granted_ms) WHERE parked = 0;

CREATE TABLE shown (
  subscription_id INTEGER NOT NULL REFERENCES subscription (id),
  subscriber      TEXT    NOT NULL,
  item_id         INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, subscriber, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX shown_item ON shown (item_id, subscription_id);

CREATE TABLE dedupe (
  queue_id INTEGER NOT NULL REFERENCES queue (id),
  id       TEXT    NOT NULL,
  item_id  INTEGER NOT NULL,
  at_ms    INTEGER NOT NULL,
  PRIMARY KEY (queue_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dedupe_at ON dedupe (at_ms);

CREATE TABLE counter (
  name  TEXT    PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

PRAGMA application_id = 0x74756e64;
PRAGMA user_version = 2;
`
