package cli

import (
	"time"

	"github.com/tundish-go/tundish/ports"
)

// fixedClock shows one time of day for ever, while time still elapses.
type fixedClock struct {
	ports.Clock
	seconds int64
}

func (c fixedClock) Now() time.Time { return time.Unix(c.seconds, 0) }
