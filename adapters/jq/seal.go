package jq

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/tundish-go/tundish/ports"
)

// runVariable carries the evaluation to our functions. Expressions may not name
// it, nor anything that starts with two underscores.
const runVariable = "$__run"

// sealed returns why a function or variable of jq is refused (PULL-15), or "".
func sealed(name string) string {
	switch name {
	case "env", "$ENV":
		return "expressions cannot read the environment"
	case "input", "inputs", "input_filename", "input_line_number":
		return "expressions have no further input"
	case "halt", "halt_error":
		return "expressions cannot end the process"
	case "get_search_list", "modulemeta", "$__prog_args":
		return "expressions see only their item"
	}
	return ""
}

// names are the functions ("name/arity") and variables that an expression
// defines anywhere. Where it does, its own meaning counts.
type names map[string]bool

func definedNames(q *gojq.Query) names {
	defined := names{}
	v := visitor{
		def: func(d *gojq.FuncDef) {
			defined[signature(d.Name, len(d.Args))] = true
			for _, arg := range d.Args {
				defined[signature(strings.TrimPrefix(arg, "$"), 0)] = true
				if strings.HasPrefix(arg, "$") {
					defined[arg] = true
				}
			}
		},
		pattern: func(p *gojq.Pattern) {
			if p.Name != "" {
				defined[p.Name] = true
			}
		},
	}
	v.walk(q)
	return defined
}

// signature names a function the way jq does, or a variable.
func signature(name string, arity int) string {
	if strings.HasPrefix(name, "$") {
		return name
	}
	return fmt.Sprintf("%s/%d", name, arity)
}

// seal refuses what reaches outside the item and what could only fail at run
// time: unknown formats, patterns that are no regular expressions.
func seal(text string, q *gojq.Query) error {
	if len(q.Imports) > 0 || q.Meta != nil {
		return fault(text, "import include module", "modules cannot be used",
			"write the functions into the expression")
	}
	defined := definedNames(q)
	var err error
	refuse := func(token, reason, hint string) {
		if err == nil {
			err = fault(text, token, reason, hint)
		}
	}
	v := visitor{
		fn: func(f *gojq.Func) {
			sig := signature(f.Name, len(f.Args))
			bare := strings.TrimPrefix(f.Name, "$")
			switch why := sealed(f.Name); {
			case strings.HasPrefix(bare, "__") && f.Name != "$__loc__" && f.Name != "$__prog_args":
				refuse(f.Name, "the name "+f.Name+" is reserved", "")
			case defined[sig]:
			case strings.HasPrefix(bare, "_") && f.Name != "$__loc__" && f.Name != "$__prog_args":
				refuse(f.Name, "unknown function "+sig, "") // the engine's own
			case why != "":
				refuse(f.Name, f.Name+" is not allowed", why)
			default:
				checkRegex(f, refuse)
			}
		},
		term: func(t *gojq.Term) {
			if t.Type == gojq.TermTypeFormat && !isFormat(t.Format) {
				refuse(t.Format, "unknown format "+t.Format, "known are @text @json @html @uri @urid @csv @tsv @sh @base64 @base64d")
			}
		},
		def: func(d *gojq.FuncDef) {
			for _, name := range append([]string{d.Name}, d.Args...) {
				if strings.HasPrefix(strings.TrimPrefix(name, "$"), "__") {
					refuse(name, "the name "+name+" is reserved", "")
				}
			}
		},
		pattern: func(p *gojq.Pattern) {
			if strings.HasPrefix(p.Name, "$__") {
				refuse(p.Name, "the name "+p.Name+" is reserved", "")
			}
		},
	}
	v.walk(q)
	return err
}

func isFormat(format string) bool {
	switch format {
	case "@text", "@json", "@html", "@uri", "@urid", "@csv", "@tsv", "@sh", "@base64", "@base64d":
		return true
	}
	return false
}

// checkRegex compiles the pattern of f if f is a regex function with a literal
// pattern.
func checkRegex(f *gojq.Func, refuse func(token, reason, hint string)) {
	switch signature(f.Name, len(f.Args)) {
	case "test/1", "test/2", "match/1", "match/2", "capture/1", "capture/2", "scan/1", "scan/2",
		"split/2", "splits/1", "splits/2", "sub/2", "sub/3", "gsub/2", "gsub/3":
	default:
		return
	}
	pattern, ok := literalString(f.Args[0])
	if !ok {
		return
	}
	flags := ""
	if at := len(f.Args) - 1; at > 0 && f.Name != "gsub" && f.Name != "sub" || at == 2 {
		if flags, ok = literalString(f.Args[at]); !ok {
			flags = ""
		}
	}
	if _, err := compilePattern(pattern, flags); err != nil {
		refuse(f.Name, err.Error(), "the syntax is RE2: no look-around, no back references")
	}
}

// literalString returns the text of a query that is nothing but a string.
func literalString(q *gojq.Query) (string, bool) {
	t := q.Term
	if t == nil || t.Type != gojq.TermTypeString || t.Str.Queries != nil || len(t.SuffixList) > 0 || len(q.FuncDefs) > 0 {
		return "", false
	}
	return t.Str.Str, true
}

// fault returns a CompileError at the first of tokens, separated by spaces, that
// stands in text.
func fault(text, tokens, reason, hint string) *ports.CompileError {
	offset := -1
	for token := range strings.FieldsSeq(tokens) {
		if offset < 0 {
			offset = locate(text, token)
		}
	}
	return &ports.CompileError{Text: text, Offset: offset, Reason: reason, Hint: hint}
}
