package inbox

import "github.com/tundish-go/tundish/domain"

// DedupeTTL is how long, in seconds, a publisher's own id is remembered (PUB-3).
const DedupeTTL = 24 * 3600

// Holds tells whether a second publish under the record's id at now is a
// duplicate. A record from far ahead was made under another clock and holds
// nothing back (STO-7).
func (d Dedupe) Holds(now int64) bool {
	return now-d.At < DedupeTTL && d.At-now < DedupeTTL
}

// MaxDedupeBytes bounds a publisher's own id.
const MaxDedupeBytes = 255

// CheckDedupe reports whether id can serve to recognise a repeated publish.
func CheckDedupe(id string) error { return domain.CheckLabel("dedupe id", id) }
