package jq

import (
	"errors"
	"math"

	"github.com/itchyny/gojq"
)

// at returns v[step], null where there is nothing.
func at(v, step any) any {
	if v == nil {
		if _, isBool := step.(bool); isBool || step == nil {
			return errors.New("cannot index null with " + gojq.TypeOf(step))
		}
		return nil
	}
	switch step := step.(type) {
	case string:
		if object, ok := v.(map[string]any); ok {
			return object[step]
		}
	case map[string]any:
		if array, ok := v.([]any); ok {
			start, end, err := bounds(step, len(array))
			if err != nil {
				return err
			}
			return array[start:end:end]
		}
	default:
		array, isArray := v.([]any)
		i, isNumber := indexOf(step)
		if isArray && isNumber {
			if i < 0 {
				i += len(array)
			}
			if i < 0 || i >= len(array) {
				return nil
			}
			return array[i]
		}
	}
	return stepError(v, step)
}

// stepError says that v has nothing like step.
func stepError(v, step any) error {
	return errors.New("cannot index " + gojq.TypeOf(v) + " with " + gojq.Preview(step))
}

// indexOf returns a number as an index.
func indexOf(step any) (int, bool) {
	if f, ok := number(step).(float64); ok {
		return int(math.Floor(max(min(f, math.MaxInt32), math.MinInt32))), true
	}
	return gojq.ToInt(step)
}

// bounds returns the places of a slice {start, end} in an array of n elements.
func bounds(step map[string]any, n int) (start, end int, err error) {
	end = n
	if s := step["start"]; s != nil {
		i, ok := indexOf(s)
		if !ok {
			return 0, 0, errors.New("start and end of a slice must be numbers")
		}
		start = clamp(i, n)
	}
	if e := step["end"]; e != nil {
		f, ok := gojq.ToFloat64(e)
		if !ok {
			return 0, 0, errors.New("start and end of a slice must be numbers")
		}
		end = clamp(int(math.Ceil(max(min(f, math.MaxInt32), math.MinInt32))), n)
	}
	return start, max(start, end), nil
}

// clamp counts a negative place from the end and keeps it inside.
func clamp(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}
