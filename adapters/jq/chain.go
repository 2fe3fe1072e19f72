package jq

import (
	"errors"
	"reflect"

	"github.com/itchyny/gojq"
)

// What may stand around the function that runs. The engine looks for a variable
// through all functions around it, one by one and in one step, so that for deep
// ones steps say little about time.
const (
	chainEvery = 4096 // steps between two looks
	maxChain   = 4000 // functions
	chainWork  = 512  // one of them, until the next look
)

// weighChain counts the functions around the one that runs.
func (m *meter) weighChain() {
	n := chain(m.engine)
	if n == maxChain {
		_ = m.fail(errors.New("the expression nests its functions too deeply"))
	} else if n > 100 {
		_ = m.spend(chainWork * n)
	}
}

// chain returns how many functions stand around the one that engine runs, at
// most maxChain. The engine keeps them to itself; where they cannot be found
// there are none.
func chain(engine gojq.Iter) int {
	v := reflect.Indirect(reflect.ValueOf(engine))
	if v.Kind() != reflect.Struct {
		return 0
	}
	scopes := v.FieldByName("scopes")
	if scopes.Kind() != reflect.Pointer {
		return 0
	}
	index, data := scopes.Elem().FieldByName("index"), scopes.Elem().FieldByName("data")
	if index.Kind() != reflect.Int || data.Kind() != reflect.Slice {
		return 0
	}
	at := int(index.Int())
	for n := range maxChain {
		if at < 0 || at >= data.Len() {
			return n
		}
		scope := data.Index(at).FieldByName("value")
		if scope.Kind() != reflect.Struct {
			return n
		}
		outer := scope.FieldByName("outerindex")
		if outer.Kind() != reflect.Int {
			return n
		}
		at = int(outer.Int())
	}
	return maxChain
}
