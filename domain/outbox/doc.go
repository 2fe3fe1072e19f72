// Package outbox is the rules of the push half: what an entry is, what may
// become of it, and when. [Policy.Next] is the whole table of transitions, a pure
// function of an entry, an event, the policy and the time; sends, verifications,
// probes and hooks are effects whose results come back as events.
//
// Two things it never does: it loses no entry, since one leaves the table only as
// delivered or dismissed; and it sends none again whose fate is unknown, unless a
// verifier, a person, or a peer that is declared to be idempotent says so.
package outbox
