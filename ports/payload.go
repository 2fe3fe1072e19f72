package ports

import "fmt"

// Payloads brings JSON text into the one spelling that is stored.
// Implementations are safe for concurrent use.
type Payloads interface {
	// Canonical returns raw, which must hold exactly one JSON value, without
	// insignificant white space: numbers keep their text, object names their
	// order (a repeated name keeps its first place and its last value), strings
	// lose the escapes that JSON does not ask for (PUB-1). Invalid text, invalid
	// UTF-8, lone surrogates, trailing text and nesting deeper than maxDepth
	// yield a *PayloadError. The result does not share memory with raw.
	Canonical(raw []byte, maxDepth int) ([]byte, error)
}

// PayloadError says why a text is not a payload, and where.
type PayloadError struct {
	Offset int64  // byte offset in the text; -1 when there is no one place
	Reason string // for example "a comma or ] must follow"
}

func (e *PayloadError) Error() string {
	if e.Offset < 0 {
		return e.Reason
	}
	return fmt.Sprintf("at byte %d: %s", e.Offset+1, e.Reason)
}
