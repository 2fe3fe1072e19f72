package setup

import (
	"path"
	"runtime"
	"slices"
	"strings"
)

// split splits a command line into words as a shell does that only knows quotes.
func split(line string) []string {
	var words []string
	var word strings.Builder
	begun := false
	var quoting byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoting != 0 && c == quoting:
			quoting = 0
		case c == '\\' && quoting != '\'' && i+1 < len(line) && runtime.GOOS != "windows":
			i++
			word.WriteByte(line[i])
			begun = true
		case quoting != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quoting, begun = c, true
		case strings.IndexByte(" \t\n", c) >= 0:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// compound tells whether a line is more than one command to a shell. Such a line is
// its author's: it is neither changed nor taken out.
func compound(line string) bool {
	var quoting byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quoting != '\'' && runtime.GOOS != "windows":
			i++
		case quoting != 0 && c == quoting:
			quoting = 0
		case quoting == '\'':
		case c == '`', strings.HasPrefix(line[i:], "$("):
			return true
		case quoting != 0:
		case c == '"' || c == '\'':
			quoting = c
		case c == '&' && i > 0 && strings.IndexByte("<>", line[i-1]) >= 0: // as in 2>&1
		case strings.IndexByte(";|&()\n", c) >= 0:
			return true
		}
	}
	return false
}

// join makes a command line of words, which split takes apart again.
func join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

// ShellWord quotes a word for a shell if it needs that.
func ShellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._:-+@%,=", r) ||
			runtime.GOOS == "windows" && r == '\\'
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ours tells whether words are a call of tundish that pulls for a hook of host
// (SETUP-2). What is in front of the program, such as env, does not matter.
func ours(words []string, host string) bool {
	for i, word := range words {
		name := path.Base(strings.ReplaceAll(word, `\`, "/"))
		if strings.TrimSuffix(name, ".exe") != "tundish" {
			continue
		}
		at := slices.Index(words[i:], "pull")
		return at > 0 && flagOf(words[i+at:], "hook") == host
	}
	return false
}

// flagOf is the value of a flag among words; empty without it.
func flagOf(words []string, name string) string {
	for i, word := range words {
		if value, ok := strings.CutPrefix(word, "--"+name+"="); ok {
			return value
		}
		if word == "--"+name && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// binaryOf is the word that names the program.
func binaryOf(words []string) string {
	for _, word := range words {
		name := path.Base(strings.ReplaceAll(word, `\`, "/"))
		if strings.TrimSuffix(name, ".exe") == "tundish" {
			return word
		}
	}
	return ""
}
