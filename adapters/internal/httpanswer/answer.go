// Package httpanswer tells from the status of an HTTP answer what became of an
// entry, for all deliverers that speak HTTP (OUT-15).
package httpanswer

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// Class marks err, which describes an answer, by its status: nil for delivered, and
// ambiguous for whatever is no status of a final answer. RetryAfter is the header of
// that name.
func Class(err error, status int, retryAfter string, now time.Time) error {
	switch {
	case status >= 200 && status <= 299:
		return nil
	case status >= 300 && status <= 399:
		return outbox.Pointless(err)
	case status == http.StatusRequestTimeout:
		return outbox.Ambiguous(err)
	case status == http.StatusTooEarly, status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		if after := RetryAfter(retryAfter, now); after > 0 {
			err = &outbox.RetryAfterError{Err: err, After: after}
		}
		return outbox.Transient(err)
	case pointless(status):
		return outbox.Pointless(err)
	case status >= 400 && status <= 499:
		return err
	}
	return outbox.Ambiguous(err)
}

// pointless tells the refusals that would be the same again.
func pointless(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusGone, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// RetryAfter reads seconds or a date, at most outbox.MaxRetryAfter; 0 for neither,
// and for what is past.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseUint(value, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return outbox.MaxRetryAfter
	case err == nil:
		return time.Duration(min(seconds, uint64(outbox.MaxRetryAfter/time.Second))) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, min(date.Sub(now), outbox.MaxRetryAfter))
}
