// Package inbox holds the rules of the pull half: who gets which item when, what
// an ack or a lease means, what retention may remove, and what text a pull
// prints. Everything here is a pure function of its arguments: `now` and ids
// arrive as values, times are whole Unix seconds, and nothing reads a clock, a
// file or a database. Rule numbers such as PULL-9 are explained in
// docs/rules.md.
package inbox
