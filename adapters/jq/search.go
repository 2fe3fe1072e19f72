package jq

import (
	"errors"
	"io"
	"regexp/syntax"
	"unicode/utf8"
)

// maxPatternSize bounds the memory that a compiled pattern and a search take.
const maxPatternSize = 4000

// patternSize tells what a pattern costs when it is compiled and when it is
// searched: its instructions once its repetitions are written out, and more when
// it captures much. It does not write them out. A pattern with a mistake has no
// size: compiling it tells the mistake.
func patternSize(text string) (int, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, nil
	}
	size := treeSize(tree)
	if size > maxPatternSize || size*tree.MaxCap() > 64*maxPatternSize {
		return 0, errors.New("a regular expression is too large")
	}
	return size * (8 + tree.MaxCap()) / 8, nil
}

// treeSize counts instructions, roughly.
func treeSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)/8
	if re.Op == syntax.OpLiteral {
		size = 1 + len(re.Rune)
	}
	for _, sub := range re.Sub {
		size += treeSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, 1<<30)
}

// searchCost is the work of reading one byte.
func (p *pattern) searchCost() int { return searchWork + 2*p.size }

// longSearch is the work from which on a search is made so that the end of the
// caller's context ends it. Such a search is slower.
const longSearch = 8 << 20

// counted reads a text for the regexp package and counts what it reads, so that
// a search that runs to the end again and again is noticed.
type counted struct {
	run  *run
	text string
	at   int
	left int // bytes that may still be read
}

func (c *counted) ReadRune() (rune, int, error) {
	if c.at == len(c.text) || c.at > c.left {
		return 0, 0, io.EOF
	}
	if c.at&0xfff == 0 {
		if c.run.poll(); c.run.err != nil {
			return 0, 0, io.EOF
		}
	}
	r, size := utf8.DecodeRuneInString(c.text[c.at:])
	c.at += size
	return r, size, nil
}

// test reports whether s has a match.
func (p *pattern) test(r *run, s string) (bool, error) {
	work := p.searchCost() * len(s)
	if err := r.spend(work); err != nil {
		return false, err
	}
	if work < longSearch {
		return p.first.MatchString(s), nil
	}
	found := p.first.MatchReader(&counted{run: r, text: s, left: len(s)})
	return found, r.err
}

// each calls yield with the places of each match in s, as the regexp package
// gives them, until yield is false. A search goes on behind a match, or one
// character further when the match is empty.
func (p *pattern) each(r *run, s string, yield func([]int) bool) error {
	places, err := p.start(r, s)
	if err != nil {
		return err
	}
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
		if places, err = p.after(r, s, from); err != nil {
			return err
		}
	}
	return nil
}

// start finds the first match.
func (p *pattern) start(r *run, s string) ([]int, error) {
	if p.searchCost()*len(s) >= longSearch {
		in := &counted{run: r, text: s, left: (maxWork - r.work) / p.searchCost()}
		places := p.first.FindReaderSubmatchIndex(in)
		return places, r.spend(p.searchCost() * in.at)
	}
	if err := r.spend(p.searchCost() * len(s)); err != nil {
		return nil, err
	}
	return p.first.FindStringSubmatchIndex(s), nil
}

// after finds the first match that starts at from or later; from is not 0.
func (p *pattern) after(r *run, s string, from int) ([]int, error) {
	_, size := utf8.DecodeLastRuneInString(s[:from])
	from -= size
	in := &counted{run: r, text: s[from:], left: (maxWork - r.work) / p.searchCost()}
	found := p.next.FindReaderSubmatchIndex(in)
	if err := r.spend(p.searchCost() * (in.at + 1)); err != nil {
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
