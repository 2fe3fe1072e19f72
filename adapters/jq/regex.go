package jq

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// pattern returns the compiled pattern of a call. The first use in a run costs
// the same work whether it was known or not.
func (r *run) pattern(re, flags any) (*pattern, error) {
	text, ok := re.(string)
	if !ok {
		return nil, typeError(re, "is no regular expression, which is a string")
	}
	options := ""
	if flags != nil {
		if options, ok = flags.(string); !ok {
			return nil, typeError(flags, "is no string of flags")
		}
	}
	key := [2]string{text, options}
	if p, ok := r.patterns[key]; ok {
		return p, nil
	}
	if err := r.spend(20_000 + 1000*len(text)); err != nil {
		return nil, err
	}
	p, err := r.program.patterns.get(text, options)
	if err == nil {
		err = r.spend(1000 * p.size)
	}
	if err != nil {
		return nil, err
	}
	if r.patterns == nil || len(r.patterns) >= 64 {
		r.patterns = map[[2]string]*pattern{}
	}
	r.patterns[key] = p
	return p, nil
}

// subject returns the text of a regex function.
func (r *run) subject(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", typeError(v, "cannot be matched, as it is not a string")
	}
	if len(s) > maxSubject {
		return "", errors.New("a text of more than 1 MiB cannot be matched")
	}
	return s, nil
}

// regex is match($re; $flags) as an array, or test when the third argument is true.
func regex(r *run, v any, args []any) any {
	s, err := r.subject(v)
	if err != nil {
		return err
	}
	p, err := r.pattern(args[0], args[1])
	if err != nil {
		return err
	}
	if args[2] == true && !p.filled {
		found, err := p.test(r, s)
		return result(found, err)
	}
	matches := []any{}
	c := runes{text: s}
	err = p.each(r, s, func(places []int) bool {
		if args[2] == true {
			matches = append(matches, nil)
			return false
		}
		if r.spend((objectWork+keyWork)*len(places)/2) != nil {
			return false
		}
		matches = append(matches, r.match(p, &c, places))
		return true
	})
	if err == nil {
		err = r.Err()
	}
	switch {
	case err != nil:
		return err
	case args[2] == true:
		return len(matches) > 0
	}
	return matches
}

// runes counts characters. Places are asked for mostly in rising order, and each
// part of the text is counted once.
type runes struct {
	text     string
	at, past int // a place and the characters in front of it
}

func (c *runes) before(place int) int {
	if place < c.at {
		return c.past - utf8.RuneCountInString(c.text[place:c.at])
	}
	c.past += utf8.RuneCountInString(c.text[c.at:place])
	c.at = place
	return c.past
}

// match makes the object that jq makes of a match.
func (r *run) match(p *pattern, c *runes, places []int) any {
	captures := make([]any, 0, len(places)/2-1)
	offset := c.before(places[0])
	for i, name := range p.first.SubexpNames()[1:] {
		start, end := places[2*i+2], places[2*i+3]
		capture := map[string]any{"offset": -1, "length": 0, "string": nil, "name": nil}
		if start >= 0 {
			capture["offset"] = offset + utf8.RuneCountInString(c.text[places[0]:max(start, places[0])])
			capture["length"] = utf8.RuneCountInString(c.text[start:end])
			capture["string"] = c.text[start:end]
		}
		if name != "" {
			capture["name"] = name
		}
		r.known.note(capture, r.captureKeys)
		captures = append(captures, capture)
	}
	match := map[string]any{
		"offset": offset, "length": utf8.RuneCountInString(c.text[places[0]:places[1]]),
		"string": c.text[places[0]:places[1]], "captures": captures,
	}
	r.known.note(match, r.matchKeys)
	return match
}

// captures makes an object of the named captures of a match.
func captures(r *run, v any, _ []any) any {
	match, _ := v.(map[string]any)
	list, _ := match["captures"].([]any)
	object := map[string]any{}
	var keys []string
	for _, c := range list {
		c, _ := c.(map[string]any)
		if name, ok := c["name"].(string); ok {
			if _, repeated := object[name]; !repeated {
				keys = append(keys, name)
			}
			object[name] = c["string"]
		}
	}
	r.known.note(object, keys)
	return object
}

// splitRegex is split($re; $flags).
func splitRegex(r *run, v any, args []any) any {
	s, err := r.subject(v)
	if err != nil {
		return err
	}
	p, err := r.pattern(args[0], args[1])
	if err != nil {
		return err
	}
	every := *p
	every.global = true
	parts := []any{}
	last := 0
	err = every.each(r, s, func(places []int) bool {
		parts = append(parts, s[last:places[0]])
		last = places[1]
		return r.grow(2) == nil
	})
	if err != nil {
		return err
	}
	return append(parts, s[last:])
}

// replaceEdits puts texts in the place of matches: its argument holds [offset,
// length, texts] for each, in characters. The n-th texts of all make the n-th
// result.
func replaceEdits(r *run, v any, args []any) any {
	s := v.(string)
	var results []*strings.Builder
	at, past := 0, 0 // bytes, characters
	for _, e := range args[0].([]any) {
		edit := e.([]any)
		offset, length := edit[0].(int), edit[1].(int)
		start := at + skip(s[at:], offset-past)
		end := start + skip(s[start:], length)
		for i, text := range edit[2].([]any) {
			if i == len(results) {
				results = append(results, &strings.Builder{})
			}
			insert, ok := text.(string)
			if !ok && text != nil {
				return operandError(s[at:start], text, "added")
			}
			if err := r.build(results[i].Len() + start - at + len(insert)); err != nil {
				return err
			}
			r.work -= results[i].Len() // only what is new is work
			results[i].WriteString(s[at:start])
			results[i].WriteString(insert)
		}
		at, past = end, offset+length
	}
	if len(results) == 0 {
		return []any{s}
	}
	all := make([]any, len(results))
	for i, b := range results {
		all[i] = b.String() + s[at:]
	}
	return all
}

// skip returns the size of the first n characters of s.
func skip(s string, n int) int {
	size := 0
	for range n {
		_, w := utf8.DecodeRuneInString(s[size:])
		size += w
	}
	return size
}
