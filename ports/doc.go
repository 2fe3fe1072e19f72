// Package ports holds the small interfaces through which the rules and the use
// cases reach what is not theirs: the clock, the expression language and the
// spelling of payloads. Signatures use the standard library only, so that an
// adapter needs nothing else to satisfy them. What a store has to offer is in
// ports/storage.
package ports
