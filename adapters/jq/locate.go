package jq

import "strings"

// locate returns the byte offset of token in the code of text: outside comments
// and outside the text of strings, but inside their interpolations. It returns
// -1 when token does not stand there.
func locate(text, token string) int {
	var parens []int // open parentheses, one count for each interpolation
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text) && text[i+1] == '(':
			parens, inString = append(parens, 0), false
			i++
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == ')' && len(parens) > 0 && parens[len(parens)-1] == 0:
			parens, inString = parens[:len(parens)-1], true
		case strings.HasPrefix(text[i:], token) && isWhole(text, i, len(token)):
			return i
		case c == '(' && len(parens) > 0:
			parens[len(parens)-1]++
		case c == ')' && len(parens) > 0:
			parens[len(parens)-1]--
		}
	}
	return -1
}

// isWhole reports whether text[at:at+size] is not a part of a longer name.
func isWhole(text string, at, size int) bool {
	before := at > 0 && (isNameByte(text[at-1]) || text[at-1] == '.' || text[at-1] == '$') && isNameByte(text[at])
	after := at+size < len(text) && isNameByte(text[at+size])
	return !before && !after
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
