package payload

import (
	"bytes"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one name of an object in canonical text: text[name:value] holds the
// quoted name with its colon, text[value:end] the value.
type member struct{ name, value, end int }

// object is an object that repeats a name. Members are in the order in which
// their names came first, each with the value that came last.
type object struct {
	start, end int
	members    []member
}

// frame is an object or array that is being read.
type frame struct {
	start   int
	index   map[string]int // place in members by name; nil for an array
	members []member
	open    int // the member whose value comes next
	repeats bool
}

// lastValues rewrites canonical text in which names repeat so that each name
// keeps its first place and its last value, at every depth (PUB-1). The text is
// valid, and nested at most as deep as Canonical allows.
func lastValues(text []byte) []byte {
	r := rewriter{text: text, objects: repeating(text)}
	return r.appendSpan(make([]byte, 0, len(text)), 0, len(text))
}

// repeating finds the objects of text that repeat a name, by start.
func repeating(text []byte) []object {
	var found []object
	var stack []frame
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	for {
		start := int(d.InputOffset())
		token, err := d.ReadToken()
		if err != nil { // the text is valid: this is its end
			sort.Slice(found, func(i, j int) bool { return found[i].start < found[j].start })
			return found
		}
		end := int(d.InputOffset())
		switch kind := token.Kind(); {
		case kind == '{':
			stack = append(stack, frame{start: end - 1, index: map[string]int{}})
			continue
		case kind == '[':
			stack = append(stack, frame{start: end - 1})
			continue
		case kind == '}' || kind == ']':
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if top.repeats {
				found = append(found, object{top.start, end, top.members})
			}
		case kind == '"' && atName(d):
			if text[start] == ',' {
				start++
			}
			stack[len(stack)-1].addName(token.String(), start, end)
			continue
		}
		if len(stack) > 0 {
			stack[len(stack)-1].endValue(end)
		}
	}
}

// atName reports whether the string that d read last is the name of a member.
func atName(d *jsontext.Decoder) bool {
	kind, count := d.StackIndex(d.StackDepth())
	return kind == '{' && count%2 == 1
}

// addName notes a name at text[start:end]; its value starts behind the colon.
func (f *frame) addName(name string, start, end int) {
	at, seen := f.index[name]
	if !seen {
		at = len(f.members)
		f.index[name] = at
		f.members = append(f.members, member{})
	}
	// Equal names are the same bytes in canonical text, so the later spelling
	// stands for the first; it is the one that its value follows.
	f.repeats = f.repeats || seen
	f.members[at].name, f.members[at].value = start, end+1
	f.open = at
}

// endValue notes where the value of the open member ends.
func (f *frame) endValue(end int) {
	if f.index != nil {
		f.members[f.open].end = end
	}
}

// rewriter copies canonical text and replaces the objects that repeat a name.
type rewriter struct {
	text    []byte
	objects []object // by start
}

// appendSpan appends text[from:to], rewritten, to dst. Recursion is as deep as
// the text is nested.
func (r *rewriter) appendSpan(dst []byte, from, to int) []byte {
	next := sort.Search(len(r.objects), func(i int) bool { return r.objects[i].start >= from })
	for next < len(r.objects) && r.objects[next].start < to {
		o := r.objects[next]
		dst = append(dst, r.text[from:o.start+1]...)
		for i, m := range o.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, r.text[m.name:m.value]...)
			dst = r.appendSpan(dst, m.value, m.end)
		}
		dst = append(dst, '}')
		from = o.end
		for next < len(r.objects) && r.objects[next].start < from {
			next++ // inside o: written above, or dropped
		}
	}
	return append(dst, r.text[from:to]...)
}
