package jq

import (
	"errors"
	"maps"
	"slices"

	"github.com/itchyny/gojq"
)

// maxIndex is the highest index that an assignment may fill an array up to.
const maxIndex = 1_000_000

// setPath is setpath($path; $value) for an owner.
func setPath(r *run, v any, args []any) any {
	path, ok := args[0].([]any)
	if !ok {
		return errors.New("a path must be an array")
	}
	o, ok := args[2].(*owner)
	if !ok {
		return errors.New("a path has no owner")
	}
	return r.set(o, v, path, args[1])
}

// takePath is getpath($path) for an owner, whose value the expression gets.
func takePath(r *run, v any, args []any) any {
	path, _ := args[0].([]any)
	for _, step := range path {
		v = at(v, step)
		if err, failed := v.(error); failed {
			return err
		}
	}
	if err := r.spend(elementWork * len(path)); err != nil {
		return err
	}
	args[1].(*owner).release(v)
	return v
}

// dropPath notes a path that is to be deleted.
func dropPath(_ *run, v any, args []any) any {
	o := args[1].(*owner)
	o.dropped = append(o.dropped, args[0])
	return v
}

// deleteDropped deletes the noted paths.
func deleteDropped(r *run, v any, args []any) any {
	o := args[0].(*owner)
	if len(o.dropped) == 0 {
		return v
	}
	return r.deleteAll(o, v, o.dropped)
}

// discardPaths is delpaths($paths) for an owner.
func discardPaths(r *run, v any, args []any) any {
	paths, ok := args[0].([]any)
	if !ok {
		return errors.New("paths must be an array")
	}
	return r.deleteAll(args[1].(*owner), v, paths)
}

// deleteAll deletes what paths name, the last one first, so that no deletion
// moves what another one names.
func (r *run) deleteAll(o *owner, v any, paths []any) any {
	if err, failed := ordering(r, paths, nil).(error); failed {
		return err
	}
	paths = slices.Clone(paths)
	slices.SortFunc(paths, gojq.Compare)
	for _, p := range slices.Backward(paths) {
		path, ok := p.([]any)
		if !ok {
			return errors.New("a path must be an array")
		}
		v = r.remove(o, v, path)
		if err, failed := v.(error); failed {
			return err
		}
	}
	return v
}

// set returns v with value at path.
func (r *run) set(o *owner, v any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch step := path[0].(type) {
	case string:
		if object, ok := v.(map[string]any); ok || v == nil {
			return r.setKey(o, object, step, path[1:], value)
		}
	case map[string]any:
		if array, ok := v.([]any); ok || v == nil {
			return r.setSlice(o, array, step, path[1:], value)
		}
	default:
		array, isArray := v.([]any)
		if i, ok := indexOf(step); ok && (isArray || v == nil) {
			return r.setIndex(o, array, i, path[1:], value)
		}
	}
	return stepError(v, path[0])
}

func (r *run) setKey(o *owner, object map[string]any, key string, rest []any, value any) any {
	if err := r.spend(elementWork + len(key)/textWork); err != nil {
		return err
	}
	old, exists := object[key]
	next := r.set(o, old, rest, value)
	if err, failed := next.(error); failed {
		return err
	}
	object, err := r.ownObject(o, object)
	if err != nil {
		return err
	}
	if !exists {
		r.known.extend(object, key)
	}
	object[key] = next
	return object
}

// ownObject returns object, or a copy of it that o may change.
func (r *run) ownObject(o *owner, object map[string]any) (map[string]any, error) {
	if o.ownsObject(object) {
		return object, nil
	}
	if err := r.growObject(len(object) + 1); err != nil {
		return nil, err
	}
	own := make(map[string]any, len(object)+1)
	maps.Copy(own, object)
	r.known.note(own, slices.Clip(r.known.keys(object)))
	if o.objects == nil {
		o.objects = map[uintptr]map[string]any{}
	}
	o.objects[address(own)] = own
	return own, nil
}

func (r *run) setIndex(o *owner, array []any, i int, rest []any, value any) any {
	if i < 0 {
		if i += len(array); i < 0 {
			return errors.New("an array index is in front of the array")
		}
	}
	if i > maxIndex {
		return r.fail(errors.New("an array index is larger than 1000000"))
	}
	var old any
	if i < len(array) {
		old = array[i]
	}
	next := r.set(o, old, rest, value)
	if err, failed := next.(error); failed {
		return err
	}
	if !o.ownsArray(array) || i >= cap(array) {
		if err := r.grow(max(len(array), i+1)); err != nil {
			return err
		}
		own := make([]any, max(len(array), i+1), max(2*len(array), i+1))
		copy(own, array)
		array = o.keepArray(own)
	}
	if i >= len(array) {
		array = array[:i+1]
	}
	array[i] = next
	return array
}

func (r *run) setSlice(o *owner, array []any, step map[string]any, rest []any, value any) any {
	start, end, err := bounds(step, len(array))
	if err != nil {
		return err
	}
	var old any
	if array != nil {
		old = array[start:end:end]
	}
	next := r.set(o, old, rest, value)
	if err, failed := next.(error); failed {
		return err
	}
	middle, ok := next.([]any)
	if !ok {
		return errors.New("a slice can only be set to an array")
	}
	if err := r.grow(len(array) + len(middle)); err != nil {
		return err
	}
	return o.keepArray(slices.Concat(array[:start], middle, array[end:]))
}

// remove returns v without what path names; what is not there stays so.
func (r *run) remove(o *owner, v any, path []any) any {
	if len(path) == 0 || v == nil {
		return nil
	}
	if len(path) > 1 {
		inner := at(v, path[0])
		if err, failed := inner.(error); failed || inner == nil {
			if failed {
				return err
			}
			return v
		}
		inner = r.remove(o, inner, path[1:])
		if err, failed := inner.(error); failed {
			return err
		}
		return r.set(o, v, path[:1], inner)
	}
	return r.removeStep(o, v, path[0])
}

// removeStep returns v without v[step].
func (r *run) removeStep(o *owner, v, step any) any {
	object, isObject := v.(map[string]any)
	array, isArray := v.([]any)
	switch step := step.(type) {
	case string:
		if !isObject {
			return stepError(v, step)
		}
		if _, exists := object[step]; !exists {
			return v
		}
		own, err := r.ownObject(o, object)
		if err != nil {
			return err
		}
		delete(own, step)
		return own
	case map[string]any:
		if !isArray {
			return stepError(v, step)
		}
		start, end, err := bounds(step, len(array))
		if err != nil {
			return err
		}
		return r.cut(o, array, start, end)
	}
	i, isNumber := indexOf(step)
	if !isArray || !isNumber {
		return stepError(v, step)
	}
	if i < 0 {
		i += len(array)
	}
	if i < 0 || i >= len(array) {
		return v
	}
	return r.cut(o, array, i, i+1)
}

// cut removes array[start:end].
func (r *run) cut(o *owner, array []any, start, end int) any {
	if start == end {
		return array
	}
	if err := r.spend(len(array) - end); err != nil {
		return err
	}
	if o.ownsArray(array) {
		return slices.Delete(array, start, end)
	}
	if err := r.grow(len(array)); err != nil {
		return err
	}
	return o.keepArray(slices.Concat(array[:start], array[end:]))
}
