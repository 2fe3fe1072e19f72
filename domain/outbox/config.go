package outbox

import (
	"fmt"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// Config holds the bounds and times of an outbox. The zero value of a field means
// its default.
type Config struct {
	MaxAttempts          int           // known failures before an entry goes to error
	Cap                  int           // entries that a lane can hold
	DedupeTTL            time.Duration // how long a client message id is remembered at least
	DeliveryTimeout      time.Duration // of one send
	RetryBackoff         time.Duration // before the second send; doubles
	MaxBackoff           time.Duration
	VerifyDelay          time.Duration // from an ambiguous outcome to the first verification
	VerifyBackoff        time.Duration // between verifications; doubles
	MaxVerifyBackoff     time.Duration
	MaxVerifyAttempts    int
	MaxTransientFailures int
	ParkedSweepInterval  time.Duration // between the sweeps of Run
	LeaseTTL             time.Duration // of a lane; renewed at a third of it
	VerifyTimeout        time.Duration // of one verification
	ProbeTimeout         time.Duration // of one look into the ledger
	BookkeepingTimeout   time.Duration // of storing what a send came to, and of one run of a hook
	Tick                 time.Duration // between two looks for work
	Workers              int           // sends and verifications that run at once, slow ones not counted
}

// DefaultConfig gives the defaults.
func DefaultConfig() Config {
	return Config{
		MaxAttempts: 5, Cap: 25, DedupeTTL: 24 * time.Hour, DeliveryTimeout: 10 * time.Minute,
		RetryBackoff: 10 * time.Second, MaxBackoff: 2 * time.Minute,
		VerifyDelay: 3 * time.Second, VerifyBackoff: 3 * time.Second, MaxVerifyBackoff: 2 * time.Minute,
		MaxVerifyAttempts: 40, MaxTransientFailures: 20, ParkedSweepInterval: time.Minute,
		LeaseTTL: time.Minute, VerifyTimeout: 30 * time.Second, ProbeTimeout: 5 * time.Second,
		BookkeepingTimeout: 5 * time.Second, Tick: time.Second, Workers: 32,
	}
}

// Times that are no matter of taste.
const (
	// PriorDelay is how long the receiver is left alone with a prior attempt, or
	// with a ledger row that it still has to admit.
	PriorDelay = 15 * time.Second
	// AbsentGap is how far apart two looks that prove absence lie at least.
	AbsentGap = 3 * time.Second
	// MaxRetryAfter bounds what a receiver may ask for.
	MaxRetryAfter = time.Hour
	// MinLeaseTTL is the shortest lease: a third of it must leave room for a commit.
	MinLeaseTTL = 2 * time.Second
	// MaxInFlight bounds the lanes that one worker holds, slow ones counted.
	MaxInFlight = 256
	// SlowAfter is the age at which a send leaves the pool of workers (OUT-3).
	SlowAfter = 2 * time.Second
)

// Complete fills in defaults and checks every field; the error is a *FieldError
// with code Invalid.
func (c Config) Complete() (Config, error) {
	d := DefaultConfig()
	for _, f := range []struct {
		name string
		have *int
		unit int
	}{
		{"MaxAttempts", &c.MaxAttempts, d.MaxAttempts}, {"Cap", &c.Cap, d.Cap},
		{"MaxVerifyAttempts", &c.MaxVerifyAttempts, d.MaxVerifyAttempts},
		{"MaxTransientFailures", &c.MaxTransientFailures, d.MaxTransientFailures}, {"Workers", &c.Workers, d.Workers},
	} {
		if *f.have == 0 {
			*f.have = f.unit
		}
		if *f.have < 1 {
			return c, wrong(f.name, *f.have, "must be at least 1")
		}
	}
	for _, f := range []struct {
		name  string
		have  *time.Duration
		unit  time.Duration
		least time.Duration
	}{
		{"DedupeTTL", &c.DedupeTTL, d.DedupeTTL, time.Millisecond},
		{"DeliveryTimeout", &c.DeliveryTimeout, d.DeliveryTimeout, time.Millisecond},
		{"RetryBackoff", &c.RetryBackoff, d.RetryBackoff, time.Millisecond},
		{"MaxBackoff", &c.MaxBackoff, max(d.MaxBackoff, c.RetryBackoff), time.Millisecond},
		{"VerifyDelay", &c.VerifyDelay, d.VerifyDelay, time.Millisecond},
		{"VerifyBackoff", &c.VerifyBackoff, d.VerifyBackoff, time.Millisecond},
		{"MaxVerifyBackoff", &c.MaxVerifyBackoff, max(d.MaxVerifyBackoff, c.VerifyBackoff), time.Millisecond},
		{"ParkedSweepInterval", &c.ParkedSweepInterval, d.ParkedSweepInterval, time.Millisecond},
		{"LeaseTTL", &c.LeaseTTL, d.LeaseTTL, MinLeaseTTL},
		{"VerifyTimeout", &c.VerifyTimeout, d.VerifyTimeout, time.Millisecond},
		{"ProbeTimeout", &c.ProbeTimeout, d.ProbeTimeout, time.Millisecond},
		{"BookkeepingTimeout", &c.BookkeepingTimeout, d.BookkeepingTimeout, time.Millisecond},
		{"Tick", &c.Tick, d.Tick, time.Millisecond},
	} {
		if *f.have == 0 {
			*f.have = f.unit
		}
		if *f.have < f.least {
			return c, wrong(f.name, *f.have, "must be at least "+f.least.String())
		}
	}
	switch {
	case c.MaxBackoff < c.RetryBackoff:
		return c, wrong("MaxBackoff", c.MaxBackoff, "is below RetryBackoff, "+c.RetryBackoff.String())
	case c.MaxVerifyBackoff < c.VerifyBackoff:
		return c, wrong("MaxVerifyBackoff", c.MaxVerifyBackoff, "is below VerifyBackoff, "+c.VerifyBackoff.String())
	case c.Workers > MaxInFlight:
		return c, wrong("Workers", c.Workers, fmt.Sprintf("must be at most %d", MaxInFlight))
	}
	return c, nil
}

// FieldError is the error of a Config with a field that cannot work.
type FieldError struct {
	Field  string // as it is spelled in Config
	Reason string // such as: is 1s and must be at least 2s
	Err    *domain.Error
}

func (e *FieldError) Error() string { return e.Err.Error() }

// Unwrap gives the error with its code.
func (e *FieldError) Unwrap() error { return e.Err }

func wrong(field string, value any, what string) error {
	reason := fmt.Sprintf("is %v and %s", value, what)
	return &FieldError{field, reason, &domain.Error{Code: domain.Invalid, Text: "the outbox's " + field + " " + reason}}
}

// LongestDelay is the furthest that a due time can lie ahead.
func (c Config) LongestDelay() time.Duration {
	return max(c.MaxBackoff, c.VerifyDelay, c.MaxVerifyBackoff, MaxRetryAfter, PriorDelay)
}

// Backoff doubles base for each failure after the first, up to most.
func Backoff(base, most time.Duration, failures int) time.Duration {
	for range failures - 1 {
		if base >= most/2 {
			return most
		}
		base *= 2
	}
	return min(base, most)
}
