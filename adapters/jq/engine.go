// Package jq runs filters, templates and key selectors, which are written in jq,
// on itchyny/gojq. It implements ports.Expressions.
//
// An expression sees its item and nothing else (PULL-15): what reaches outside
// is refused when it is compiled (seal.go). Objects keep the order of their keys
// although the engine's are Go maps (order.go, rewrite.go), numbers keep their
// text, and every evaluation is bounded in steps, work and size (meter.go), so
// that no expression can hang or exhaust the process, on any machine.
package jq

import (
	"sync"

	"github.com/tundish-go/tundish/ports"
)

// cacheSize bounds how many texts an Engine remembers.
const cacheSize = 256

// Engine implements ports.Expressions. It is safe for concurrent use. A text
// that was compiled before costs a look-up, as long as it is among the last 256.
type Engine struct {
	mu       sync.Mutex
	programs map[string]*program
	order    []string // texts in programs, oldest first
}

var _ ports.Expressions = (*Engine)(nil)

// New returns an Engine that has compiled nothing.
func New() *Engine {
	return &Engine{programs: map[string]*program{}}
}

// Filter implements ports.Expressions (PULL-1, CMD-3).
func (e *Engine) Filter(text string) (ports.Matcher, error) {
	p, err := e.program(text)
	if err != nil {
		return nil, err
	}
	return filter{p}, nil
}

// Template implements ports.Expressions (PULL-8, CMD-3).
func (e *Engine) Template(text string) (ports.Renderer, error) {
	p, err := e.program(text)
	if err != nil {
		return nil, err
	}
	return template{p}, nil
}

// KeySelector implements ports.Expressions (PUB-3).
func (e *Engine) KeySelector(text string) (ports.KeySelector, error) {
	p, err := e.program(text)
	if err != nil {
		return nil, err
	}
	return selector{p}, nil
}

// Query implements ports.Expressions (VIEW-4).
func (e *Engine) Query(text string) (ports.Query, error) {
	p, err := e.program(text)
	if err != nil {
		return nil, err
	}
	return query{p}, nil
}

// program returns the compiled text. Mistakes are not remembered: nobody asks
// for them in a loop.
func (e *Engine) program(text string) (*program, error) {
	e.mu.Lock()
	p, ok := e.programs[text]
	e.mu.Unlock()
	if ok {
		return p, nil
	}
	p, err := compile(text)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, ok := e.programs[text]; ok {
		return known, nil
	}
	if len(e.order) == cacheSize {
		delete(e.programs, e.order[0])
		e.order = e.order[1:]
	}
	e.programs[text] = p
	e.order = append(e.order, text)
	return p, nil
}
