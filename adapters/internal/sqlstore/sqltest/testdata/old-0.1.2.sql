PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  key TEXT,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
INSERT INTO items VALUES(1,'q','k]1','{"n":1}',1000);
INSERT INTO items VALUES(2,'q',NULL,'{"n":2,"text":"über ‮"}',1001);
INSERT INTO items VALUES(3,'q',NULL,'{"n":3}',1002);
INSERT INTO items VALUES(4,'odd]queue',NULL,'"in a queue that has no name today"',1003);
INSERT INTO items VALUES(5,'q',NULL,'{"n":4}',1007);
INSERT INTO items VALUES(6,'q',NULL,'[]',1008);
INSERT INTO items VALUES(7,'jobs',NULL,'1',1020);
INSERT INTO items VALUES(8,'jobs',NULL,'2',1020);
INSERT INTO items VALUES(9,'jobs',NULL,'3',1020);
INSERT INTO items VALUES(10,'jobs',NULL,'4',1020);
CREATE TABLE subscriptions (
  name TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  rules TEXT NOT NULL,
  scan INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  dropped INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  parked INTEGER NOT NULL DEFAULT 0,
  last_error TEXT
);
INSERT INTO subscriptions VALUES('even','q','{"queue":"q","filter":".payload.n % 2 == 0","select":"since_last_read","consume":"on_ack","share":"all","every":60,"lease":600,"max_attempts":3,"start":"all"}',0,1004,0,0,0,NULL);
INSERT INTO subscriptions VALUES('all','q','{"queue":"q","select":"since_last_read","consume":"on_ack","share":"all","lease":600,"max_attempts":3,"start":"all"}',0,1004,0,0,0,NULL);
INSERT INTO subscriptions VALUES('work','jobs','{"queue":"jobs","select":"since_last_read","limit":1,"consume":"on_ack","share":"one","lease":100,"max_attempts":1,"start":"all"}',9,1021,0,0,0,NULL);
INSERT INTO subscriptions VALUES('idle','nothing','{"queue":"nothing","select":"since_last_read","consume":"on_read","share":"all","every":7200,"lease":600,"max_attempts":3,"start":"new"}',0,1203,0,0,0,NULL);
INSERT INTO subscriptions VALUES('lost','gone','{"queue":"gone","select":"since_last_read","consume":"on_read","share":"all","lease":600,"max_attempts":3,"start":"all"}',0,1300,0,0,0,NULL);
CREATE TABLE subscribers (
  subscription TEXT NOT NULL REFERENCES subscriptions(name) ON DELETE CASCADE,
  subscriber TEXT NOT NULL,
  origin INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  next_at INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  PRIMARY KEY (subscription, subscriber)
);
INSERT INTO subscribers VALUES('even','ann',0,6,1069,0,0,'expression: cannot index [] with "n"');
INSERT INTO subscribers VALUES('all','ann',0,3,1005,0,0,NULL);
INSERT INTO subscribers VALUES('all','bob',0,0,0,0,0,NULL);
INSERT INTO subscribers VALUES('work','w1',0,0,1201,0,0,NULL);
INSERT INTO subscribers VALUES('work','w2',0,0,1200,0,0,NULL);
INSERT INTO subscribers VALUES('idle','w1',0,0,0,0,0,NULL);
INSERT INTO subscribers VALUES('lost','ann',0,12,0,2,0,NULL);
CREATE TABLE acks (
  subscription TEXT NOT NULL REFERENCES subscriptions(name) ON DELETE CASCADE,
  item INTEGER NOT NULL,
  owner TEXT NOT NULL,
  acked_at INTEGER NOT NULL,
  PRIMARY KEY (subscription, item)
);
INSERT INTO acks VALUES('all',3,'ann',1006);
INSERT INTO acks VALUES('work',8,'w2',1202);
CREATE TABLE leases (
  subscription TEXT NOT NULL REFERENCES subscriptions(name) ON DELETE CASCADE,
  item INTEGER NOT NULL,
  owner TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  parked INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription, item)
);
INSERT INTO leases VALUES('work',7,'w1',1122,1,1);
INSERT INTO leases VALUES('work',9,'w1',1301,1,0);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('items',13);
CREATE INDEX items_queue ON items(queue, id);
COMMIT;
PRAGMA user_version = 1;
