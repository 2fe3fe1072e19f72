package ports

import "time"

// Clock tells the time. Implementations are safe for concurrent use.
type Clock interface {
	// Now is the wall clock. It decides ages, leases and due times, and may
	// step in either direction between two calls.
	Now() time.Time
	// Elapsed is the time since some fixed moment, on a clock that never steps.
	// It bounds work: scans, evaluations, waits.
	Elapsed() time.Duration
}
