// Package app is the embedding API of tundish: one use case a file, each one
// unit of work that loads facts from the store, lets domain/inbox decide, and
// stores what it decided. It knows no database and no expression engine; those
// are handed to New.
package app
