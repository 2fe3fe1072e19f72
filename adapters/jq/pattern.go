package jq

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

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

// counted reads a text for the regexp package and counts what it reads, so that
// a search that runs to the end again and again is noticed.
type counted struct {
	text string
	at   int
	left int // bytes that may still be read
}

func (c *counted) ReadRune() (rune, int, error) {
	if c.at == len(c.text) || c.at > c.left {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(c.text[c.at:])
	c.at += size
	return r, size, nil
}

// each calls yield with the places of each match in s, as the regexp package
// gives them, until yield is false. A search goes on behind a match, or one
// character further when the match is empty.
func (p *pattern) each(r *run, s string, yield func([]int) bool) error {
	if err := r.spend(searchWork * len(s)); err != nil {
		return err
	}
	places := p.first.FindStringSubmatchIndex(s)
	for places != nil {
		if !p.filled || places[0] != places[1] {
			if !yield(places) || !p.global {
				return nil
			}
		}
		from := places[1]
		if places[0] == places[1] {
			if from == len(s) {
				return nil
			}
			_, size := utf8.DecodeRuneInString(s[from:])
			from += size
		}
		var err error
		if places, err = p.after(r, s, from); err != nil {
			return err
		}
	}
	return nil
}

// after finds the first match that starts at from or later; from is not 0.
func (p *pattern) after(r *run, s string, from int) ([]int, error) {
	_, size := utf8.DecodeLastRuneInString(s[:from])
	from -= size
	in := &counted{text: s[from:], left: (maxWork - r.work) / searchWork}
	found := p.next.FindReaderSubmatchIndex(in)
	if err := r.spend(searchWork * (in.at + 1)); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, nil
	}
	places := found[2:]
	for i := range places {
		if places[i] >= 0 {
			places[i] += from
		}
	}
	return places, nil
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
