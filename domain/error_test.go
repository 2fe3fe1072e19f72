package domain_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// CMD-4: every failure is one line that names what is wrong and what to do.
func TestError_JoinsTextCauseAndRemedy(t *testing.T) {
	tests := []struct {
		name string
		err  domain.Error
		want string
	}{
		{"text", domain.Error{Text: "no item 7"}, "no item 7"},
		{"cause", domain.Error{Text: "reading failed", Err: io.ErrUnexpectedEOF}, "reading failed: unexpected EOF"},
		{"remedy", domain.Error{Text: "no item 7", Remedy: "list them"}, "no item 7; list them"},
		{"all", domain.Error{Text: "a", Err: errors.New("b"), Remedy: "c"}, "a: b; c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("Error() = %q, want %q", got, tt.want)
			}
		})
	}
}

// CMD-4: the exit code follows from the code, however deep it is wrapped.
func TestCodeOf_FindsTheOutermost(t *testing.T) {
	inner := &domain.Error{Code: domain.Busy, Text: "locked"}
	outer := &domain.Error{Code: domain.Deadline, Text: "late", Err: inner}
	tests := []struct {
		name string
		err  error
		want domain.Code
	}{
		{"nil", nil, domain.Internal},
		{"foreign", io.EOF, domain.Internal},
		{"bare", inner, domain.Busy},
		{"wrapped", fmt.Errorf("pull: %w", inner), domain.Busy},
		{"joined", errors.Join(io.EOF, inner), domain.Busy},
		{"outermost", fmt.Errorf("pull: %w", outer), domain.Deadline},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := domain.CodeOf(tt.err); got != tt.want {
				t.Errorf("CodeOf = %d, want %d", got, tt.want)
			}
		})
	}
}

// CMD-4: the cause stays within reach.
func TestError_UnwrapsItsCause(t *testing.T) {
	if err := error(&domain.Error{Text: "x", Err: io.EOF}); !errors.Is(err, io.EOF) {
		t.Error("the cause is lost")
	}
	if (&domain.Error{Text: "x"}).Unwrap() != nil {
		t.Error("a cause out of nothing")
	}
}
