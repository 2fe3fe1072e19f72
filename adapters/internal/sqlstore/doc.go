// Package sqlstore is the store on SQLite: the only place with SQL. It imports
// no driver; the packages sqlite_cgo and sqlite_wasm hand one in as a [Driver].
//
// A [Store] opens nothing until it is used. Its first unit of work finds out
// what stands at the path: nothing, an empty file, a database of ours, one of
// the old program, or something else, which is left as it is (STO-5). A
// database of ours is in WAL mode, synced in full at every commit, overwritten
// where it deletes (STO-1).
//
// Units of work run on connections of their own, from an explicit BEGIN to an
// explicit COMMIT, because database/sql's transactions roll back behind the
// caller's back when a context ends and know no BEGIN IMMEDIATE. A short process
// that reads and then writes does both on one connection.
package sqlstore
