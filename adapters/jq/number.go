package jq

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"

	"github.com/itchyny/gojq"
)

// number returns a number as int, float64 or *big.Int.
func number(v any) any {
	text, ok := v.(json.Number)
	if !ok {
		switch v.(type) {
		case int, float64, *big.Int:
			return v
		}
		return nil
	}
	if i, err := text.Int64(); err == nil {
		return int(i)
	}
	if strings.ContainsAny(string(text), ".eE") || len(text) > maxNumber {
		f, _ := text.Float64() // infinite when it is out of range
		return f
	}
	if n, ok := new(big.Int).SetString(string(text), 10); ok {
		return n
	}
	return math.NaN()
}

// binary are the three forms of an operation on numbers.
type binary struct {
	ints   func(a, b int) (int, bool) // false when the result overflows
	floats func(a, b float64) float64
	bigs   func(z, a, b *big.Int) *big.Int
}

// calculate computes with two numbers and counts the digits of long ones; ok is
// false when one is none.
func (r *run) calculate(op binary, a, b any) (result any, ok bool) {
	z, ok := op.apply(a, b)
	if ok {
		if err := r.spend(touchWork(a) + touchWork(b) + touchWork(z)); err != nil {
			return err, true
		}
	}
	return z, ok
}

// apply computes with two numbers; ok is false when one is none.
func (op binary) apply(a, b any) (result any, ok bool) {
	a, b = number(a), number(b)
	if a == nil || b == nil {
		return nil, false
	}
	x, xInt := a.(int)
	y, yInt := b.(int)
	if xInt && yInt {
		if z, ok := op.ints(x, y); ok {
			return z, true
		}
	}
	_, xFloat := a.(float64)
	_, yFloat := b.(float64)
	if xFloat || yFloat {
		f, _ := gojq.ToFloat64(a)
		g, _ := gojq.ToFloat64(b)
		return op.floats(f, g), true
	}
	z := op.bigs(new(big.Int), toBig(a), toBig(b))
	if isBig(z) { // far beyond every float, and on the way to any size
		return math.Inf(z.Sign()), true
	}
	return z, true
}

// isBig reports whether n has more digits than arithmetic may make.
func isBig(n *big.Int) bool { return n.BitLen() > 1<<12 }

func toBig(v any) *big.Int {
	if n, ok := v.(*big.Int); ok {
		return n
	}
	return big.NewInt(int64(v.(int)))
}

func addition() binary {
	return binary{
		ints:   func(a, b int) (int, bool) { z := a + b; return z, (z >= a) == (b >= 0) },
		floats: func(a, b float64) float64 { return a + b },
		bigs:   (*big.Int).Add,
	}
}

func subtraction() binary {
	return binary{
		ints:   func(a, b int) (int, bool) { z := a - b; return z, (z <= a) == (b >= 0) },
		floats: func(a, b float64) float64 { return a - b },
		bigs:   (*big.Int).Sub,
	}
}

func multiplication() binary {
	return binary{
		ints: func(a, b int) (int, bool) {
			if a == 0 || b == 0 {
				return 0, true
			}
			z := a * b
			return z, z/b == a && !(b == -1 && a == math.MinInt)
		},
		floats: func(a, b float64) float64 { return a * b },
		bigs:   (*big.Int).Mul,
	}
}
