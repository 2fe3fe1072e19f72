package jq

import (
	"errors"
	"math"

	"github.com/itchyny/gojq"
)

// formatting makes the text of a value for a format, except for those that take
// arrays, and counts what the format will make of it.
func formatting(r *run, v any, args []any) any {
	name, _ := args[0].(string)
	if name == "csv" || name == "tsv" || name == "sh" {
		row, isRow := v.([]any)
		if !isRow {
			row = []any{v}
		}
		for _, cell := range row {
			size := shortNumber + touchWork(cell)
			if s, ok := cell.(string); ok {
				size = growth(name) * len(s)
			}
			if err := r.spend(elementWork + size); err != nil {
				return err
			}
		}
		return v
	}
	text := toString(r, v, nil)
	s, ok := text.(string)
	if !ok {
		return text
	}
	return result(s, r.spend(growth(name)*len(s)))
}

// growth is how many times longer a format may make a text, and as many bytes
// again for what it needs meanwhile.
func growth(format string) int {
	switch format {
	case "html":
		return 6
	case "uri", "sh":
		return 4
	}
	return 2
}

// Guards of functions of numbers.

// numeric counts turning a number into a float.
func numeric(r *run, v any, _ []any) any {
	if gojq.TypeOf(v) != "number" {
		return typeError(v, "number required")
	}
	return result(v, r.spend(touchWork(v)))
}

// remainder is numeric for a dividend: the quotient's bits come one by one.
func remainder(r *run, v any, _ []any) any {
	if err := r.spend(4096); err != nil {
		return err
	}
	return numeric(r, v, nil)
}

// bessel is numeric for the order of a Bessel function, which takes as many
// rounds.
func bessel(r *run, v any, _ []any) any {
	if err, failed := numeric(r, v, nil).(error); failed {
		return err
	}
	n, _ := gojq.ToFloat64(v)
	if n = math.Abs(n); !(n <= 10_000) {
		return errors.New("the order of a Bessel function is larger than 10000")
	}
	return result(v, r.spend(8*int(n)))
}
