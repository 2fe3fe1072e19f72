package jq

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// Bounds of one use of a regular expression.
const (
	maxPattern = 16 << 10 // bytes of a pattern
	maxSubject = 1 << 20  // bytes of the text that it is matched against
)

// pattern is a compiled regular expression with the flags of jq.
type pattern struct {
	first  *regexp.Regexp // from the start of the text
	next   *regexp.Regexp // behind one character, its match is group 1
	global bool
	filled bool // only matches that are not empty
	size   int  // instructions, and registers that each of them may carry
}

// compilePattern compiles a pattern in RE2's syntax. Flags are those of jq: g all
// matches, i any case, x spaces and comments do not count, s one line (it is so
// anyway), n no empty matches, p a dot matches a newline too, l the longest match.
func compilePattern(text, flags string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, errors.New("a regular expression is longer than 16 KiB")
	}
	p := &pattern{}
	inline := ""
	longest := false
	for _, flag := range flags {
		switch flag {
		case 'g':
			p.global = true
		case 'n':
			p.filled = true
		case 'l':
			longest = true
		case 'i':
			inline += "i"
		case 'p':
			inline += "s"
		case 'x':
			text = stripSpaces(text)
		case 's':
		default:
			return nil, fmt.Errorf("%s is not a valid flag of a regular expression", gojq.Preview(flags))
		}
	}
	if inline != "" {
		inline = "(?" + inline + ")"
	}
	var err error
	if p.size, err = patternSize(inline + text); err != nil {
		return nil, err
	}
	if p.first, err = regexp.Compile(inline + text); err == nil {
		p.next, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + inline + text + `)`)
	}
	if err != nil {
		reason := err.Error()
		if bad, ok := errors.AsType[*syntax.Error](err); ok {
			reason = string(bad.Code) + " `" + bad.Expr + "`"
		}
		return nil, fmt.Errorf("%s is no regular expression: %s", gojq.Preview(text), reason)
	}
	if longest {
		p.first.Longest()
		p.next.Longest()
	}
	return p, nil
}

// stripSpaces removes what the flag x lets a pattern hold for its reader.
func stripSpaces(text string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
			c = text[i]
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case inClass:
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			continue
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// patterns remembers the compiled patterns of a program, the last 64 or so. It is
// safe for concurrent use.
type patterns struct {
	mu    sync.Mutex
	known map[[2]string]*pattern // by text and flags
}

func (c *patterns) get(text, flags string) (*pattern, error) {
	key := [2]string{text, flags}
	c.mu.Lock()
	p, ok := c.known[key]
	c.mu.Unlock()
	if ok {
		return p, nil
	}
	p, err := compilePattern(text, flags)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= 64 {
		c.known = map[[2]string]*pattern{}
	}
	c.known[key] = p
	return p, nil
}
