package jq

import "strings"

// guarded returns definitions that count the work of an engine's function before
// it is done.
func guarded() []definition {
	var definitions []definition
	for _, g := range []struct{ heads, guard string }{
		{"length reverse ascii_downcase ascii_upcase trim ltrim rtrim", "__shallow"},
		{"ltrimstr($x) rtrimstr($x) trimstr($x)", "__shallow"},
		{"explode", "__characters"},
		{"keys", "__counting"},
		{"implode bsearch($x) min max", "__deep"},
		{"sort unique", "__ordering"},
		{"transpose", "__rectangle"},
		{"builtins", "__listing"},
		{`sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor round nearbyint rint ceil trunc
			significand fabs sqrt cbrt exp exp10 exp2 expm1 frexp modf log log10 log1p log2 logb gamma tgamma
			lgamma erf erfc j0 j1 y0 y1 isinfinite isnan isnormal`, "__numeric"},
	} {
		for head := range strings.FieldsSeq(g.heads) {
			native := "__native_" + head
			definitions = append(definitions,
				definition{native, head},
				definition{head, g.guard + "($__run) | " + native})
		}
	}
	for _, g := range []struct{ names, guard string }{
		{"atan2 copysign fdim fmax fmin hypot ldexp nextafter nexttoward scalb scalbln pow", "__numeric"},
		{"fmod drem remainder", "__remainder"},
		{"jn yn", "__bessel"},
	} {
		for name := range strings.FieldsSeq(g.names) {
			definitions = append(definitions,
				definition{"__native_" + name + "(a; b)", name + "(a; b)"},
				definition{name + "(a; b)", "__native_" + name + "(a | " + g.guard + "($__run); b | __numeric($__run))"})
		}
	}
	return append(definitions,
		definition{"__native_fma(a; b; c)", "fma(a; b; c)"},
		definition{"fma(a; b; c)", "__native_fma(a | __numeric($__run); b | __numeric($__run); c | __numeric($__run))"})
}

// times returns the functions that read or write times in a format.
func times() []definition {
	var definitions []definition
	for _, name := range []string{"strftime", "strflocaltime", "strptime"} {
		definitions = append(definitions,
			definition{"__native_" + name + "($f)", name + "($f)"},
			definition{name + "($f)", "__timing($f; $__run) | __native_" + name + "($f)"})
	}
	return append(definitions,
		definition{"fromdateiso8601", `strptime("%Y-%m-%dT%H:%M:%S%z") | mktime`},
		definition{"fromdate", "fromdateiso8601"})
}
