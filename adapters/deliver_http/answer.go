package deliverhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tundish-go/tundish/adapters/internal/httpanswer"
	"github.com/tundish-go/tundish/domain"
)

// maxQuote bounds, in bytes, what an error quotes of an answer.
const maxQuote = 512

// classify tells from the status what became of the entry.
func classify(answer *http.Response, told, shown string, now time.Time) error {
	code := answer.StatusCode
	err := fmt.Errorf("%s answered %d %s", shown, code, http.StatusText(code))
	if told != "" {
		err = fmt.Errorf("%w: %s", err, told)
	}
	return httpanswer.Class(err, code, answer.Header.Get("Retry-After"), now)
}

// read takes the body, so that the receiver is not cut off in its answer, and
// gives its beginning, unless that shows the token. What the body does is of no
// consequence any more.
func (d *Deliverer) read(ctx context.Context, body io.Reader, g *gate, token string) string {
	g.limit(d.bodyTime)
	first := make([]byte, maxQuote+len(token))
	n, err := io.ReadFull(body, first)
	if err == nil && ctx.Err() == nil {
		_, _ = io.CopyN(io.Discard, body, maxBodyBytes)
	}
	return quote(first[:n], token)
}

// quote makes the beginning of a body fit for an error: one line. First is long
// enough to hold a token of which any part lies in the first maxQuote bytes.
func quote(first []byte, token string) string {
	if token != "" && bytes.Contains(first, []byte(token)) {
		return "(its text shows the token and is withheld)"
	}
	first = bytes.TrimSpace(first[:min(len(first), maxQuote)])
	text := domain.Escape(string(bytes.ToValidUTF8(first, []byte("\uFFFD"))))
	if len(text) <= maxQuote {
		return text
	}
	end := maxQuote
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// scrub takes the token out of an error, for one that quotes a receiver which
// sends back what it got.
func scrub(err error, token string) error {
	text := err.Error()
	if token == "" {
		return err
	}
	quoted := strings.Trim(strconv.Quote(token), `"`)
	clean := strings.ReplaceAll(strings.ReplaceAll(text, token, "[token]"), quoted, "[token]")
	if clean == text {
		return err
	}
	return errors.New(clean)
}
