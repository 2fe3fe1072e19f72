package cli

import "strings"

// assigns tells whether a filter is nothing but an assignment, as in .a = 1,
// which is mostly a comparison with a sign too few. It looks at what stands
// outside brackets and texts, and takes what it does not know for something
// else.
func assigns(filter string) bool {
	found := false
	depth := 0
	for i := 0; i < len(filter); i++ {
		switch c := filter[i]; {
		case c == '"':
			i = textEnd(filter, i)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth > 0:
		case strings.IndexByte("|,;#", c) >= 0:
			return false
		case strings.IndexByte("=!<>+-*/%", c) >= 0:
			end := i
			for end < len(filter) && strings.IndexByte("=!<>+-*/%", filter[end]) >= 0 {
				end++
			}
			found = found || filter[i:end] == "="
			i = end - 1
		}
	}
	return found
}

// textEnd is where the text that begins at from ends. An interpolation counts
// as part of it.
func textEnd(filter string, from int) int {
	depth := 0
	for i := from + 1; i < len(filter); i++ {
		switch {
		case filter[i] == '\\' && i+1 < len(filter):
			if i++; filter[i] == '(' {
				depth++
			}
		case depth > 0 && filter[i] == '(':
			depth++
		case depth > 0 && filter[i] == ')':
			depth--
		case depth > 0 && filter[i] == '"':
			i = textEnd(filter, i)
		case filter[i] == '"':
			return i
		}
	}
	return len(filter)
}
