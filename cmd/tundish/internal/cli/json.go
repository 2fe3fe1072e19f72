package cli

import (
	"bytes"
	"encoding/json"
	"strings"
)

// jsonText is value as one line of JSON.
func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // texts, numbers and flags always encode
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// printJSON prints a value as one line of JSON. flush tells what went wrong.
func (s *session) printJSON(value any) { _ = s.printLine([]byte(jsonText(value))) }
