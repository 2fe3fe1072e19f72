package jq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// definition is a function in jq that stands in front of an expression which
// needs it. A body sees the definitions in front of it and the engine's
// functions; its name hides the engine's from what comes after. $__run carries
// the evaluation to our native functions.
type definition struct {
	head string // name and parameters
	body string
}

// signature is how the function is known: name/arity.
func (d definition) signature() string {
	name, params, ok := strings.Cut(d.head, "(")
	if !ok {
		return name + "/0"
	}
	return signature(name, 1+strings.Count(params, ";"))
}

// prelude returns the definitions, in the order in which they see each other.
func prelude() []definition {
	definitions := []definition{
		{"__native_path(f)", `path(f)`},
		{"path(f)", `__native_path(f) | __pathed($__run)`},
		{"__native_getpath($p)", `getpath($p)`},
		{"getpath($p)", `__getting($p; $__run) | __native_getpath($p)`},
		{"__each", `if type == "object" then __keys($__run) as $k | .[$k] else __iterating($__run) | .[] end`},
		{"__modify(p; f)", `__owner($__run) as $o
			| reduce path(p) as $q (.; . as $v | label $out
				| ((($v | __take($q; $o; $__run) | f) as $n | $v | __set($q; $n; $o; $__run) | ., break $out),
					($v | __drop($q; $o; $__run))))
			| __delete($o; $__run)`},
		{"__assign(p; $x)", `__owner($__run) as $o | reduce path(p) as $q (.; __set($q; $x; $o; $__run))`},
		{"now", `__now($__run)`},
		{"debug", `.`},
		{"debug(f)", `.`},
		{"stderr", `.`},
		{"have_literal_numbers", `true`},
		{"have_decnum", `true`},
		{"lgamma_r", `[lgamma, (if . < 0 and ((-. | ceil) % 2) == 1 and floor != . then -1 else 1 end)]`},
		{"tojson", `__tojson($__run)`},
		{"tostring", `__tostring($__run)`},
		{"tonumber", `__tonumber($__run)`},
		{"first", `__indexing($__run) | .[0]`},
		{"last", `__indexing($__run) | .[-1]`},
		{"nth($n)", `__indexing($__run) | .[$n]`},
		{"fromjson", `__fromjson($__run)`},
		{"keys_unsorted", `if type == "object" then [__keys($__run)] else keys end`},
		{"map(f)", `[__each | f]`},
		{"map_values(f)", `__modify(__each; f)`},
		{"recurse(f)", `def r: ., (f | r); r`},
		{"recurse(f; cond)", `def r: ., (f | select(cond) | r); r`},
		{"recurse", `def r: ., (__each? | r); r`},
		{"walk(f)", `def w: if type == "array" then map(w) elif type == "object" then map_values(w) end | f; w`},
		{"add", `__sum($__run)`},
		{"add(f)", `[f] | __sum($__run)`},
		{"to_entries", `[(if type == "object" then __keys($__run) else keys[] end) as $k
			| {key: $k, value: .[$k]} | __entry($__run)]`},
		{"from_entries", `[__each | {(.key // .Key // .name // .Name | __key($__run)): (if has("value") then .value else .Value end)}]
			| __sum($__run) // {}`},
		{"with_entries(f)", `to_entries | map(f) | from_entries`},
		{"setpath($p; $x)", `__owner($__run) as $o | __set($p; $x; $o; $__run)`},
		{"delpaths($ps)", `__owner($__run) as $o | __discard($ps; $o; $__run)`},
		{"del(f)", `delpaths([path(f)])`},
		{"paths", `path(recurse) | select(. != [])`},
		{"paths(f)", `path(recurse | select(f)) | select(. != [])`},
		{"leaf_paths", `paths(type | . != "array" and . != "object")`},
		{"__native_flatten", `flatten`},
		{"flatten", `if type == "object" then [__each] end | __deep($__run) | __native_flatten`},
		{"__native_flatten($n)", `flatten($n)`},
		{"flatten($n)", `if type == "object" then [__each] end | __deep($__run) | __native_flatten($n)`},
		{"pick(f)", `. as $v | __owner($__run) as $o | reduce path(f) as $p (null; __set($p; $v | getpath($p); $o; $__run))`},
		{"tostream", `path(def r: (__each? | r), .; r) as $p | getpath($p)
			| reduce path(__each?) as $q ([$p, .]; [$p + $q])`},
		{"fromstream(f)", `foreach f as $pv (null; if .e then null end
			| $pv as [$p, $v]
			| if $pv | length == 2 then setpath(["v"] + $p; $v) | setpath(["e"]; $p | length == 0)
				else setpath(["e"]; $p | length == 1) end;
			if .e then .v else empty end)`},
		{"truncate_stream(f)", `. as $n | null | f | if .[0] | length > $n then setpath([0]; .[0][$n:]) else empty end`},
		{"INDEX(stream; f)", `__owner($__run) as $o
			| reduce stream as $row ({}; __set([$row | f | tostring]; $row; $o; $__run))`},
		{"INDEX(f)", `INDEX(__each; f)`},
		{"__match(re; flags; testing)", `__regex(re; flags; testing; $__run)`},
		{"match($re; $flags)", `__match($re; $flags; false)[]`},
		{"match($re)", `if $re | type == "array" then match($re[0]; $re[1]) else match($re; null) end`},
		{"test($re; $flags)", `__match($re; $flags; true)`},
		{"test($re)", `if $re | type == "array" then test($re[0]; $re[1]) else test($re; null) end`},
		{"capture($re; $flags)", `match($re; $flags) | __captures($__run)`},
		{"capture($re)", `if $re | type == "array" then capture($re[0]; $re[1]) else capture($re; null) end`},
		{"scan($re; $flags)", `match($re; ($flags // "") + "g")
			| if .captures == [] then .string else [.captures[].string] end`},
		{"scan($re)", `if $re | type == "array" then scan($re[0]; $re[1]) else scan($re; null) end`},
		{"split($re; $flags)", `__split($re; $flags; $__run)`},
		{"splits($re; $flags)", `__split($re; $flags; $__run)[]`},
		{"splits($re)", `if $re | type == "array" then splits($re[0]; $re[1]) else splits($re; null) end`},
		{"sub($re; str; $flags)", `. as $in
			| [__match($re; $flags; false)[] | [.offset, .length, [__captures($__run) | str]]] as $edits
			| $in | __replace($edits; $__run)[]`},
		{"sub($re; str)", `sub($re; str; null)`},
		{"gsub($re; str; $flags)", `sub($re; str; ($flags // "") + "g")`},
		{"gsub($re; str)", `sub($re; str; "g")`},
		{"IN(s)", `any(__eq(s; .; $__run); .)`},
		{"IN(src; s)", `any(__eq(src; s; $__run); .)`},
		{"all(y)", `all(__each; y)`},
		{"all", `all(.)`},
		{"any(y)", `any(__each; y)`},
		{"any", `any(.)`},
		{"__native_has($x)", `has($x)`},
		{"has($x)", `__touching($x; $__run) | __native_has($x)`},
		{"in(xs)", `. as $x | xs | has($x)`},
		{"__native_startswith($x)", `startswith($x)`},
		{"startswith($x)", `__touching($x; $__run) | __native_startswith($x)`},
		{"__native_endswith($x)", `endswith($x)`},
		{"endswith($x)", `__touching($x; $__run) | __native_endswith($x)`},
		{"combinations", `if length == 0 then [] else (.[0] | __each) as $x | .[1:] | combinations | [$x] + . end`},
		{"combinations($n)", `[limit($n; repeat(.))] | combinations`},
		{"__native_format($f)", `format($f)`},
		{"format($f)", `if $f == "json" then tojson elif $f == "text" then tostring
			else __formatting($f; $__run) | __native_format($f) end`},
		{"__native_join($x)", `join($x)`},
		{"join($x)", `if type == "object" then [__each] end | __joining($x; $__run) | __native_join($x)`},
		{"__native_split($x)", `split($x)`},
		{"split($x)", `__splitting($x; $__run) | __native_split($x)`},
		{"__native_contains($x)", `contains($x)`},
		{"contains($x)", `__product($x; $__run) | __native_contains($x)`},
		{"inside($x)", `. as $v | $x | contains($v)`},
		{"__native_indices($x)", `indices($x)`},
		{"indices($x)", `if type == "string" and ($x | type) == "string" then __places($x; $__run)
			else __product($x; $__run) | __native_indices($x) end`},
		{"index($x)", `indices($x) | .[0]`},
		{"rindex($x)", `indices($x) | .[-1:] | .[0]`},
		{"sort_by(f)", `([.[] | [f]] | __ordering($__run)) as $k | _sort_by($k)`},
		{"group_by(f)", `([.[] | [f]] | __ordering($__run)) as $k | _group_by($k)`},
		{"unique_by(f)", `([.[] | [f]] | __ordering($__run)) as $k | _unique_by($k)`},
		{"min_by(f)", `([.[] | [f]] | __deep($__run)) as $k | _min_by($k)`},
		{"max_by(f)", `([.[] | [f]] | __deep($__run)) as $k | _max_by($k)`},
	}
	return slices.Concat(definitions, times(), guarded())
}

// addPrelude puts the definitions that q needs in front of it.
func addPrelude(q *gojq.Query) error {
	needed := map[string]bool{}
	collect := visitor{
		fn: func(f *gojq.Func) { needed[signature(f.Name, len(f.Args))] = true },
		term: func(t *gojq.Term) {
			if t.Type == gojq.TermTypeRecurse {
				needed["recurse/0"] = true
			}
		},
	}
	collect.walk(q)
	all := prelude()
	var defs []*gojq.FuncDef
	// A body sees only what stands in front of it, so from the last to the first
	// every need is known when its definition comes.
	for i := len(all) - 1; i >= 0; i-- {
		if !needed[all[i].signature()] {
			continue
		}
		parsed, err := gojq.Parse("def " + all[i].head + ": " + all[i].body + "; .")
		if err != nil {
			return fmt.Errorf("prelude %s: %w", all[i].head, err)
		}
		collect.walk(parsed)
		defs = append(defs, parsed.FuncDefs...)
	}
	slices.Reverse(defs)
	q.FuncDefs = append(defs, q.FuncDefs...)
	return nil
}
