package setup

import (
	"bytes"
	"fmt"
)

// unset takes all hooks of ours out, and the containers that became empty by it,
// unless base has them: the text before our first change, nil when it is not
// known. The result is nil when nothing is left of a file that did not exist.
func (h hooks) unset(text, base []byte) ([]byte, error) {
	before, err := parseJSON(base)
	if err != nil {
		before = jsonText{}
	}
	doc, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	touched := map[string]bool{}
	for {
		found, err := h.list(doc)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			break
		}
		touched[found[0].event] = true
		if doc, err = parseJSON(h.drop(doc, found[0])); err != nil {
			return nil, fmt.Errorf("%w: %w", errStuck, err)
		}
	}
	var steps []func(jsonText) []byte
	for event := range touched {
		steps = append(steps, func(d jsonText) []byte {
			return prune(d, d.root.member("hooks"), event, before.root.member("hooks").member(event), before)
		})
	}
	steps = append(steps,
		func(d jsonText) []byte { return prune(d, d.root, "hooks", before.root.member("hooks"), before) },
		func(d jsonText) []byte { return h.dropVersion(d, before) },
	)
	if text, err = run(doc.text, steps...); err != nil {
		return nil, err
	}
	return h.dropRoot(text, base, before)
}

// prune removes a member of parent that is an empty container, or gives it the
// text that it had when it was empty before. A comment that is new in it stays.
func prune(d jsonText, parent *node, key string, was *node, before jsonText) []byte {
	for i, it := range parent.items {
		if it.key != key || it.value.kind == '"' || it.value.kind == 'v' || len(it.value.items) > 0 {
			continue
		}
		switch {
		case was == nil && !bytes.ContainsAny(d.text[it.value.start:it.value.end], "/"): // no comments
			return d.remove(parent, i)
		case was != nil && len(was.items) == 0 && sameComments(d.of(it.value), before.of(was)):
			return apply(d.text, cut{it.value.start, it.value.end, string(before.of(was))})
		}
	}
	return d.text
}

// of is a value as it is written.
func (d jsonText) of(n *node) []byte { return d.text[n.start:n.end] }

// sameComments tells whether empty containers differ in nothing but space.
func sameComments(a, b []byte) bool {
	return bytes.Equal(bytes.Join(bytes.Fields(a), nil), bytes.Join(bytes.Fields(b), nil))
}

// dropVersion takes out the version that init wrote, unless hooks that came later
// may need it.
func (h hooks) dropVersion(d, before jsonText) []byte {
	if !h.version || before.root.member("version") != nil {
		return d.text
	}
	all, was := d.root.member("hooks"), before.root.member("hooks")
	if all != nil && (was == nil || !bytes.Equal(d.text[all.start:all.end], before.text[was.start:was.end])) {
		return d.text
	}
	for i, it := range d.root.items {
		if it.key == "version" && string(d.text[it.value.start:it.value.end]) == "1" && (before.root != nil || len(d.root.items) == 1) {
			return d.remove(d.root, i)
		}
	}
	return d.text
}

// dropRoot deals with a file whose object is empty now.
func (h hooks) dropRoot(text, base []byte, before jsonText) ([]byte, error) {
	d, err := parseJSON(text)
	if err != nil || d.root == nil || len(d.root.items) > 0 {
		return text, err
	}
	around := bytes.TrimPrefix(append(bytes.Clone(text[:d.root.start]), text[d.root.end:]...), []byte(byteOrderMark))
	was := []byte("{}")
	if before.root != nil {
		was = before.of(before.root)
	}
	switch {
	case !sameComments(d.of(d.root), was): // one is new in it
		return text, nil
	case base == nil && len(bytes.TrimSpace(around)) == 0:
		return nil, nil
	case before.root != nil && len(before.root.items) == 0:
		return apply(text, cut{d.root.start, d.root.end, string(was)}), nil
	case base != nil && before.root == nil && bytes.HasPrefix(text, base):
		return append(bytes.Clone(base), d.behindRoot(base)...), nil
	}
	return text, nil
}

// behindRoot is what follows base and the empty object that setRoot had put there.
func (d jsonText) behindRoot(base []byte) []byte {
	nl := []byte(newline(d.text))
	between := bytes.TrimPrefix(d.text[len(base):d.root.start], nl)
	return append(bytes.Clone(between), bytes.TrimPrefix(d.text[d.root.end:], nl)...)
}
