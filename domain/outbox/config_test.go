package outbox

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/domain"
)

// OUT-13: the defaults, as fields of one valid configuration.
func TestOUT13_Defaults(t *testing.T) {
	want := Config{
		MaxAttempts: 5, Cap: 25, DedupeTTL: 24 * time.Hour, DeliveryTimeout: 10 * time.Minute, RetryBackoff: 10 * time.Second,
		MaxBackoff: 2 * time.Minute, VerifyDelay: 3 * time.Second, VerifyBackoff: 3 * time.Second, MaxVerifyBackoff: 2 * time.Minute,
		MaxVerifyAttempts: 40, MaxTransientFailures: 20, ParkedSweepInterval: 60 * time.Second, LeaseTTL: 60 * time.Second,
		VerifyTimeout: 30 * time.Second, ProbeTimeout: 5 * time.Second, BookkeepingTimeout: 5 * time.Second, Tick: time.Second, Workers: 32,
	}
	for name, c := range map[string]Config{"zero": {}, "default": DefaultConfig(), "same": want} {
		got, err := c.Complete()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	if PriorDelay != 15*time.Second || AbsentGap != 3*time.Second || MaxRetryAfter != time.Hour || MinLeaseTTL != 2*time.Second ||
		MaxInFlight != 256 || SlowAfter != 2*time.Second || MaxErrorBytes != 1024 {
		t.Error("a constant changed")
	}
}

// OUT-13: a field that cannot work is named.
func TestOUT13_ConfigNamesTheField(t *testing.T) {
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		least := int64(1)
		if fields.Field(i).Type == reflect.TypeFor[time.Duration]() {
			least = int64(time.Millisecond)
		}
		if name == "LeaseTTL" {
			least = int64(2 * time.Second)
		}
		for _, value := range []int64{-1, least - 1} {
			if value != 0 {
				c := Config{}
				reflect.ValueOf(&c).Elem().Field(i).SetInt(value)
				refused(t, c, name)
			}
		}
		c := Config{}
		reflect.ValueOf(&c).Elem().Field(i).SetInt(least)
		if name == "MaxBackoff" || name == "MaxVerifyBackoff" {
			refused(t, c, name)
			continue
		}
		got, err := c.Complete()
		if err != nil || reflect.ValueOf(got).Field(i).Int() != least {
			t.Errorf("the least %s: %v", name, err)
		}
	}
}

func refused(t *testing.T, c Config, name string) {
	t.Helper()
	_, err := c.Complete()
	if domain.CodeOf(err) != domain.Invalid || !strings.HasPrefix(err.Error(), "the outbox's "+name+" is ") {
		t.Errorf("%s: %v", name, err)
	}
}

// OUT-13: a maximum is not below its base; one that nobody set rises with it.
func TestOUT13_ConfigMaxima(t *testing.T) {
	refused(t, Config{MaxBackoff: time.Second, RetryBackoff: time.Second + 1}, "MaxBackoff")
	refused(t, Config{MaxVerifyBackoff: time.Second, VerifyBackoff: time.Second + 1}, "MaxVerifyBackoff")
	refused(t, Config{Workers: 257}, "Workers")
	for _, c := range []Config{
		{MaxBackoff: time.Second, RetryBackoff: time.Second}, {MaxVerifyBackoff: time.Second, VerifyBackoff: time.Second}, {Workers: 256},
	} {
		if got, err := c.Complete(); err != nil {
			t.Errorf("%+v: %v", got, err)
		}
	}
	got, err := Config{RetryBackoff: 5 * time.Minute, VerifyBackoff: 7 * time.Minute}.Complete()
	if err != nil || got.MaxBackoff != 5*time.Minute || got.MaxVerifyBackoff != 7*time.Minute {
		t.Errorf("%v and %v, %v", got.MaxBackoff, got.MaxVerifyBackoff, err)
	}
}

// OUT-13: a delay doubles from failure to failure up to its maximum.
func TestOUT13_Backoff(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		base, most time.Duration
		want       []time.Duration // after 0, 1, 2 … failures
	}{
		{10 * s, 120 * s, []time.Duration{10 * s, 10 * s, 20 * s, 40 * s, 80 * s, 120 * s, 120 * s}},
		{3 * s, 120 * s, []time.Duration{3 * s, 3 * s, 6 * s, 12 * s, 24 * s, 48 * s, 96 * s, 120 * s, 120 * s}},
		{5 * s, 20 * s, []time.Duration{5 * s, 5 * s, 10 * s, 20 * s, 20 * s}},
		{7 * s, 7 * s, []time.Duration{7 * s, 7 * s, 7 * s}},
	} {
		for failures, want := range tt.want {
			if got := Backoff(tt.base, tt.most, failures); got != want {
				t.Errorf("%v to %v after %d failures: %v, want %v", tt.base, tt.most, failures, got, want)
			}
		}
	}
	if got := Backoff(10*s, 120*s, 1<<20); got != 120*s {
		t.Errorf("many failures: %v", got)
	}
	const most = time.Duration(1<<63 - 1)
	if got := Backoff(time.Second, most, 1<<20); got != most {
		t.Errorf("many failures: %v", got)
	}
}

// OUT-13: the longest delay is the longest of all.
func TestOUT13_LongestDelay(t *testing.T) {
	for want, c := range map[time.Duration]Config{
		time.Hour: {}, 2 * time.Hour: {MaxBackoff: 2 * time.Hour}, 3 * time.Hour: {VerifyDelay: 3 * time.Hour}, 4 * time.Hour: {MaxVerifyBackoff: 4 * time.Hour},
	} {
		full, err := c.Complete()
		if got := full.LongestDelay(); err != nil || got != want {
			t.Errorf("%v, want %v (%v)", got, want, err)
		}
	}
}
