package deliveropencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain/outbox"
)

// maxQuote bounds, in bytes, what an error quotes of an answer.
const maxQuote = 300

// taken tells whether the server took the prompt: nil if it did.
func (a answer) taken(now time.Time) error {
	switch err := a.err(); {
	case a.status >= 200 && a.status <= 299:
		return nil
	case a.status >= 300 && a.status <= 399:
		return outbox.Pointless(err)
	case a.status == http.StatusRequestTimeout:
		return outbox.Ambiguous(err)
	case a.status == http.StatusTooEarly, a.status == http.StatusTooManyRequests, a.status == http.StatusServiceUnavailable:
		if after := retryAfter(a.header.Get("Retry-After"), now); after > 0 {
			err = &outbox.RetryAfterError{Err: err, After: after}
		}
		return outbox.Transient(err)
	case pointless(a.status):
		return outbox.Pointless(err)
	case a.status >= 400 && a.status <= 499:
		return err
	default:
		return outbox.Ambiguous(err)
	}
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

// retryAfter reads seconds or a date, at most outbox.MaxRetryAfter; 0 for neither,
// and for what is past.
func retryAfter(value string, now time.Time) time.Duration {
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

// err is the answer as an error, with what the server says about it.
func (a answer) err() error {
	err := fmt.Errorf("opencode answered %d %s", a.status, http.StatusText(a.status))
	var told struct {
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	if json.Unmarshal(a.body, &told) == nil && told.Data.Message != "" && !shows(told.Data.Message, a.secrets) {
		err = fmt.Errorf("%w: %s", err, clip(told.Data.Message))
	}
	return err
}

func clip(text string) string {
	if len(text) <= maxQuote {
		return text
	}
	end := maxQuote
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
