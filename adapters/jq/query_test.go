package jq

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// VIEW-4: a query gives its outputs one by one, strings raw and all else as JSON
// with its digits and the order of its keys.
func TestVIEW4_Query(t *testing.T) {
	stop := errors.New("stop")
	for _, tt := range []struct {
		text, input string
		want        []string
		fails       bool
	}{
		{".", `{"b":1,"a":1.50}`, []string{`{"b":1,"a":1.50}`}, false},
		{".[]", `["x","",null]`, []string{"x", "", "null"}, false},
		{"empty", `1`, nil, false},
		{"now", `1`, []string{"1000"}, false},
		{"., .x", `1`, []string{"1"}, true},
		{".", `{`, nil, true},
	} {
		q, err := New().Query(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = q.Run(t.Context(), []byte(tt.input), 1000, func(output string) error {
			got = append(got, output)
			return nil
		})
		if (err != nil) != tt.fails || !slices.Equal(got, tt.want) {
			t.Errorf("%s of %s gives %q, %v", tt.text, tt.input, got, err)
		}
	}
	if _, err := New().Query("env"); err == nil {
		t.Error("a query reaches outside")
	}
	q, err := New().Query("1, 2")
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Run(t.Context(), []byte("0"), 0, func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("yield's error becomes %v", err)
	}
	over, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := q.Run(over, []byte("0"), 0, func(string) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("the end of the context becomes %v", err)
	}
}
