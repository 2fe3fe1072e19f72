package jq

import (
	"reflect"
	"slices"
)

// keyed is an object with the order of its keys. Holding the object keeps its
// address from being given to another one.
type keyed struct {
	object map[string]any
	keys   []string
}

// orders remembers in which order the keys of objects came: of those read from
// JSON, written as a literal, or made by one of our functions. The engine passes
// objects by reference, so an address tells which one it is. An order is a hint:
// a function of the engine may have changed the keys since.
type orders map[uintptr]keyed

// note says that keys is the order of object. Fewer than two keys need none.
func (o orders) note(object map[string]any, keys []string) {
	if len(keys) > 1 {
		o[address(object)] = keyed{object, keys}
	}
}

// extend notes that key is about to become the last one of object, which its
// maker alone refers to.
func (o orders) extend(object map[string]any, key string) {
	at := address(object)
	known, ok := o[at]
	if !ok {
		known = keyed{object, slices.Clone(o.keys(object))}
	}
	known.keys = append(known.keys, key)
	o[at] = known
}

// keys returns the keys of object in their order: the known ones first, others
// by name. The caller must not change the result.
func (o orders) keys(object map[string]any) []string {
	if len(object) < 2 {
		for k := range object {
			return []string{k}
		}
		return nil
	}
	known := o[address(object)].keys
	if known == nil && isSlice(object) {
		return []string{"start", "end"}
	}
	kept := 0
	for _, k := range known {
		if _, ok := object[k]; ok {
			kept++
		}
	}
	if kept == len(known) && kept == len(object) {
		return known
	}
	keys := make([]string, 0, len(object))
	seen := make(map[string]bool, kept)
	for _, k := range known {
		if _, ok := object[k]; ok {
			keys = append(keys, k)
			seen[k] = true
		}
	}
	for k := range object {
		if !seen[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys[len(seen):])
	return keys
}

// isSlice reports whether object is the step of a path that takes a slice, which
// the engine makes itself.
func isSlice(object map[string]any) bool {
	_, start := object["start"]
	_, end := object["end"]
	return start && end && len(object) == 2
}

// address identifies an object.
func address(object map[string]any) uintptr {
	return reflect.ValueOf(object).Pointer()
}
