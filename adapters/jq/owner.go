package jq

import "reflect"

// owner belongs to one assignment. It knows the containers that the assignment
// itself made, which nothing else refers to: these change in place, all others
// are copied, so that n updates cost n and not n copies. It holds them, so that
// no other container gets one of their addresses.
type owner struct {
	arrays  map[uintptr][]any
	objects map[uintptr]map[string]any
	dropped []any // paths whose update gave nothing
}

func (o *owner) ownsArray(a []any) bool {
	_, ok := o.arrays[reflect.ValueOf(a).Pointer()]
	return ok && cap(a) > 0
}

func (o *owner) ownsObject(m map[string]any) bool {
	_, ok := o.objects[address(m)]
	return ok
}

func (o *owner) keepArray(a []any) []any {
	if cap(a) > 0 {
		if o.arrays == nil {
			o.arrays = map[uintptr][]any{}
		}
		o.arrays[reflect.ValueOf(a).Pointer()] = a
	}
	return a
}

// release forgets everything when v is a container of the owner's: it is about
// to be handed to the expression, which may put it anywhere.
func (o *owner) release(v any) {
	array, isArray := v.([]any)
	object, isObject := v.(map[string]any)
	if isArray && o.ownsArray(array) || isObject && o.ownsObject(object) {
		o.arrays, o.objects = nil, nil
	}
}
