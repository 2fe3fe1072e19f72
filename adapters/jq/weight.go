package jq

import (
	"encoding/json"
	"errors"
	"math/big"
	"math/bits"
)

// weight is what it takes to walk a value once. A shared value counts as often
// as it is reached.
type weight struct {
	nodes int // values, and 64 bytes of a text as one
	work  int // the same in units of work
}

// What a walk does at a node, in units of work.
const (
	textWork  = 16 // bytes of a text that are compared or hashed in one unit
	orderWork = 4  // a key of an object, which is sorted before it is compared
)

// shortNumber is how long a number is whose conversion costs nothing, in bytes.
const shortNumber = 20

// weigh weighs v and spends its work times factor. It ends the evaluation when v
// has too many nodes: a function that walks it would never return.
func (m *meter) weigh(v any, factor int) (weight, error) {
	var w weight
	if !w.add(v) {
		return w, m.fail(errors.New("the expression walks a value of more than 1000000 nodes"))
	}
	return w, m.spend(w.work * factor)
}

// add adds v, and reports whether all of it stays within maxNodes. Values are as
// deep as steps allow, which is too deep for nothing here.
func (w *weight) add(v any) bool {
	w.nodes++
	w.work += 1 + touchWork(v)
	switch v := v.(type) {
	case string:
		w.nodes += len(v) / 64
	case []any:
		for _, e := range v {
			if !w.add(e) {
				return false
			}
		}
	case map[string]any:
		w.work += (orderWork + 2*bits.Len(uint(len(v)))) * len(v)
		for k, e := range v {
			w.work += len(k) / textWork
			if !w.add(e) {
				return false
			}
		}
	}
	return w.nodes <= maxNodes
}

// touchWork is what it takes to compare, hash or convert v, which is no
// container, beyond what each value takes.
func touchWork(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) / textWork
	case json.Number:
		if len(v) > shortNumber {
			return 8 * len(v)
		}
		return 2
	case *big.Int:
		return v.BitLen() * v.BitLen() / 1024 // its digits take so long
	}
	return 0
}
