package deliverexec

import (
	"bytes"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain"
)

// maxQuote bounds, in bytes, what an error quotes of a program's standard error;
// with the rest of the text it stays below outbox.MaxErrorBytes.
const maxQuote = 768

// head keeps the first bytes that are written to it, and one more, so that too
// much can be told from just enough.
type head struct {
	kept []byte
	most int
}

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), h.most+1-len(h.kept))]...)
	return len(p), nil
}

// tail keeps the last bytes that are written to it.
type tail struct {
	kept []byte
	most int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.most):]...)
	if extra := len(t.kept) - t.most; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

// secrets are the values in the environment that a program must not give away in
// its error text, as shells that trace their commands would. Short values would
// hide harmless words.
func secrets() (values [][]byte, longest int) {
	const shortest = 6
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		if !secret(strings.ToUpper(name)) || len(value) < shortest {
			continue
		}
		values, longest = append(values, []byte(value)), max(longest, len(value))
	}
	return values, longest
}

func secret(name string) bool {
	for _, word := range []string{"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// quote makes the end of a program's standard error fit for an error: one line
// of at most maxQuote bytes. Kept is long enough to hold each secret of which any
// part lies in those bytes.
func quote(kept []byte, secrets [][]byte) string {
	for _, value := range secrets {
		if bytes.Contains(kept, value) {
			return "(its error text shows a secret and is withheld)"
		}
	}
	kept = bytes.TrimSpace(kept[max(0, len(kept)-maxQuote):])
	text := domain.Escape(string(bytes.ToValidUTF8(kept, []byte("\uFFFD"))))
	if start := len(text) - maxQuote; start > 0 {
		for start < len(text) && !utf8.RuneStart(text[start]) {
			start++
		}
		text = text[start:]
	}
	return text
}
