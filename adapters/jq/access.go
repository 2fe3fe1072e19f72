package jq

import "errors"

// Guards of what reads a container or makes a path.

// slicing counts the characters of a text that is about to be sliced. A slice of
// an array costs nothing.
func slicing(r *run, v any, _ []any) any {
	if s, ok := v.(string); ok {
		return shallow(r, s, nil)
	}
	return v
}

// iterating counts the elements that the engine lists before it gives the first.
func iterating(r *run, v any, _ []any) any {
	array, _ := v.([]any)
	return result(v, r.spend(2*elementWork*len(array)))
}

// indexKey counts looking for v in a container. An array means looking for it in
// an array, of which the size is not known here.
func indexKey(r *run, v any, _ []any) any {
	if needle, ok := v.([]any); ok {
		w, err := r.weigh(needle, 1)
		if err != nil {
			return err
		}
		return result(v, r.spend(w.nodes<<20))
	}
	return result(v, r.spend(touchWork(v)))
}

// touching counts looking at the argument once.
func touching(r *run, v any, args []any) any {
	return result(v, r.spend(touchWork(args[0])))
}

// getting counts getpath.
func getting(r *run, v any, args []any) any {
	path, _ := args[0].([]any)
	if err := r.spend(3 * elementWork * len(path)); err != nil {
		return err
	}
	inner := v
	for _, step := range path {
		if err := r.spend(touchWork(step)); err != nil {
			return err
		}
		switch step := step.(type) {
		case []any:
			if err, failed := product(r, inner, []any{step}).(error); failed {
				return err
			}
			return v // what follows cannot be known without doing it twice
		default:
			if err, failed := slicing(r, inner, nil).(error); failed {
				return err
			}
			inner = at(inner, step)
		}
		if _, failed := inner.(error); failed {
			break
		}
	}
	return v
}

// pathed counts a path that the engine has put together.
func pathed(r *run, v any, _ []any) any {
	path, _ := v.([]any)
	return result(v, r.grow(len(path)))
}

// caught counts the message of an error that was caught. The engine always makes
// it; it sorts the keys of an object to show the first ones, and looks through all
// of a text.
func caught(r *run, v any, _ []any) any {
	work := 0
	if r.largest > 64 {
		work = previewWork * r.largest
	}
	if r.longest > 1<<16 {
		work += r.longest / 4
	}
	return result(v, r.spend(work))
}

// builtin lists of names cost about this much.
const listWork = 40_000

func listing(r *run, v any, _ []any) any { return result(v, r.spend(listWork)) }

// timing counts reading or writing a time in a format, which has to be short: a
// directive makes up to 1024 bytes.
func timing(r *run, v any, args []any) any {
	format, _ := args[0].(string)
	text, _ := v.(string)
	if len(format) > 1024 || len(text) > 1024 {
		return errors.New("a time or its format is longer than 1 KiB")
	}
	return result(v, r.spend(256+256*len(format)))
}
