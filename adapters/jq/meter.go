package jq

import (
	"context"
	"errors"

	"github.com/itchyny/gojq"
)

// Bounds of one evaluation (PULL-15). They count, and never measure time, so an
// expression fails on every machine or on none.
const (
	maxSteps  = 1_000_000  // instructions of the engine
	maxWork   = 64_000_000 // bytes and nodes that native functions touch, in all
	maxNodes  = 1_000_000  // nodes of one value that is built, compared or printed
	maxBytes  = 16 << 20   // bytes of one text that is built
	maxResult = 1 << 20    // bytes of a rendered template
	pollEvery = 256        // steps between two looks at the caller's context
)

// What costs more than a byte, in units of work.
const (
	elementWork = 16  // an element of an array that is built
	keyWork     = 96  // a key of an object that is built, beside that
	objectWork  = 256 // an object, beside its keys
	letterWork  = 4   // a byte of a text that a function reads letter by letter
	searchWork  = 16  // a byte that a regular expression reads
	previewWork = 128 // a key of an object that an error message shows a part of
)

// meter bounds one evaluation. The engine asks its context for Done once per
// instruction, which is what makes counting them possible. It is a context only
// for the engine; it belongs to one evaluation and one goroutine.
type meter struct {
	context.Context // the caller's

	steps, work int
	polled      int       // work at the last look at the caller's context
	largest     int       // keys of the largest object there was
	longest     int       // bytes of the longest text there was
	engine      gojq.Iter // what runs the expression
	err         error
	done        chan struct{} // closed once err is set
}

func newMeter(ctx context.Context) *meter {
	return &meter{Context: ctx, done: make(chan struct{})}
}

// Done counts one step. Its channel is closed when the evaluation must end.
func (m *meter) Done() <-chan struct{} {
	m.steps++
	if m.err == nil {
		switch {
		case m.steps > maxSteps:
			_ = m.fail(errors.New("the expression takes more than 1000000 steps"))
		case m.steps%chainEvery == 0:
			m.weighChain()
			m.poll()
		case m.steps%pollEvery == 0:
			m.poll()
		}
	}
	return m.done
}

// Err returns why the evaluation must end, or nil.
func (m *meter) Err() error { return m.err }

// poll looks at the caller's context.
func (m *meter) poll() {
	if m.Context.Err() != nil {
		_ = m.fail(context.Cause(m.Context))
	}
}

// fail ends the evaluation with err, whatever the expression catches.
func (m *meter) fail(err error) error {
	if m.err == nil {
		m.err = err
		close(m.done)
	}
	return m.err
}

// spend notes n units of work in a native function. An error ends the
// evaluation.
func (m *meter) spend(n int) error {
	if m.err != nil {
		return m.err
	}
	if n < 0 || n > maxWork-m.work {
		return m.fail(errors.New("the expression works on too much data"))
	}
	m.work += n
	if m.work-m.polled > 1<<20 {
		m.polled = m.work
		m.poll()
	}
	return m.err
}

// build notes that a text of n bytes is about to be built.
func (m *meter) build(n int) error {
	if n > maxBytes || n < 0 {
		return m.fail(errors.New("the expression builds a text of more than 16 MiB"))
	}
	m.longest = max(m.longest, n)
	return m.spend(n)
}

// grow notes that an array or object of n elements is about to be built.
func (m *meter) grow(n int) error {
	if n > maxNodes || n < 0 {
		return m.fail(errors.New("the expression builds a value of more than 1000000 elements"))
	}
	return m.spend(elementWork * n)
}

// growObject notes that an object of n keys is about to be built. Objects are
// dear: a table each, and a note of its order.
func (m *meter) growObject(n int) error {
	if err := m.grow(n); err != nil {
		return err
	}
	m.largest = max(m.largest, n)
	return m.spend(objectWork + keyWork*n)
}
