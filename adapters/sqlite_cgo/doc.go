// Package sqlitecgo opens stores with the SQLite library in C, through
// mattn/go-sqlite3. It builds with cgo only, so that a program without cgo fails
// to compile rather than to run; such a program uses package sqlitewasm. Both
// may use one database at the same time (STO-9), but not in one program: both
// drivers want the same name.
package sqlitecgo
