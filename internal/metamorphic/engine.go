package metamorphic

import (
	"context"
	"errors"
	"time"

	"github.com/tundish-go/tundish/ports"
)

// engine notices when an evaluation may have been cut short by real time.
type engine struct {
	ports.Expressions
	ended    []func() error // tells for each evaluation whether its time is over
	compiled time.Time      // when a filter was last asked for
}

func (e *engine) reset() { e.ended, e.compiled = nil, time.Time{} }

// lossTime is the real time that a publish gives to filters (RET-4).
const lossTime = 20 * time.Millisecond

// late tells whether time was over during or, as far as can be seen, before an
// evaluation since the last reset. publishing tells that the filters were asked
// about losses: a publish gives them little time.
func (e *engine) late(publishing bool) bool {
	for _, ended := range e.ended {
		if errors.Is(ended(), context.DeadlineExceeded) {
			return true
		}
	}
	return publishing && len(e.ended) == 0 && !e.compiled.IsZero() && time.Since(e.compiled) >= lossTime
}

// Filter implements ports.Expressions.
func (e *engine) Filter(text string) (ports.Matcher, error) {
	m, err := e.Expressions.Filter(text)
	e.compiled = time.Now()
	return matcher{m, e}, err
}

// Template implements ports.Expressions.
func (e *engine) Template(text string) (ports.Renderer, error) {
	r, err := e.Expressions.Template(text)
	return renderer{r, e}, err
}

type matcher struct {
	ports.Matcher
	engine *engine
}

// Match implements ports.Matcher.
func (m matcher) Match(ctx context.Context, doc ports.Document) (bool, error) {
	m.engine.ended = append(m.engine.ended, ctx.Err)
	return m.Matcher.Match(ctx, doc)
}

type renderer struct {
	ports.Renderer
	engine *engine
}

// Render implements ports.Renderer.
func (r renderer) Render(ctx context.Context, doc ports.Document) (string, error) {
	r.engine.ended = append(r.engine.ended, ctx.Err)
	return r.Renderer.Render(ctx, doc)
}
