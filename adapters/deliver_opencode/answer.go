package deliveropencode

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/tundish-go/tundish/adapters/internal/httpanswer"
)

// maxQuote bounds, in bytes, what an error quotes of an answer.
const maxQuote = 300

// taken tells whether the server took the prompt: nil if it did.
func (a answer) taken(now time.Time) error {
	return httpanswer.Class(a.err(), a.status, a.header.Get("Retry-After"), now)
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
