// Package sqlitewasm opens stores with SQLite compiled to Go by way of
// WebAssembly, through ncruces/go-sqlite3. It needs no cgo. It may use one
// database at the same time as package sqlitecgo (STO-9), but not in one
// program: both drivers want the same name.
package sqlitewasm
