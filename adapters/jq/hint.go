package jq

import "strings"

// The hints for the mistakes of people who seldom write jq. They are only worked
// out once an expression has failed.

// textHint is for text that was written as it is to appear. The outer quotes are
// the shell's.
const textHint = `text needs double quotes inside the jq expression, such as '"Build failed"'`

// syntaxHint guesses what was meant where the parser stopped: at token, which
// stands at offset.
func syntaxHint(text, token string, offset int) string {
	before := text[:offset]
	switch {
	case token == "&" && strings.HasPrefix(text[offset:], "&&"):
		return "write and"
	case token == "|" && strings.HasSuffix(before, "|"):
		return "write or"
	case token == "!":
		return "write … | not"
	case token == "not":
		return "write | not"
	case token == "=":
		return "compare with =="
	case token == `\`, isPlainText(before) && !startsQuery(before) && token != "" && strings.IndexByte(".([{$", token[0]) < 0:
		return textHint
	}
	return ""
}

// unknownHint guesses what was meant by the name of a function that does not
// exist, at offset.
func unknownHint(text, name string, offset int) string {
	switch name {
	case "id", "queue", "key", "payload", "created_at":
		return "did you mean ." + name + "?"
	}
	if offset < 0 {
		return ""
	}
	before, after := strings.TrimSpace(text[:offset]), strings.TrimSpace(text[offset+len(name):])
	if before == "" && after == "" || before != "" && strings.IndexByte("=+(:,", before[len(before)-1]) >= 0 && !strings.HasPrefix(after, "(") {
		return textHint
	}
	return ""
}

// isPlainText reports whether text begins like a sentence, without any sign that
// it is jq.
func isPlainText(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z' && !strings.ContainsAny(text, `."|()[]{}$@=<>`)
}

// startsQuery reports whether the first word of text is one of jq's own.
func startsQuery(text string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch word {
	case "if", "def", "reduce", "foreach", "try", "label", "break", "import", "include", "module":
		return true
	}
	return false
}
