// Package deliverinbox publishes entries into a queue of the inbox, where
// programs and agents pull them (OUT-15).
//
// The payload is the entry as JSON, the key its session, so that a subscription
// can be of one session, and the id for duplicates that of the entry: however
// often an entry is sent within the day for which the inbox remembers such ids,
// the queue gets one item.
package deliverinbox
