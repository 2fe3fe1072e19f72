package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// versioned is a reader whose store can name what has been committed, which not
// every store can. Two answers of one store that are equal, by ==, tell that
// nothing was committed between them; each is given before the first change of
// its unit of work. Answers that differ tell nothing.
type versioned interface {
	Version() (any, error)
}

// versionOf is nil where the store cannot tell.
func versionOf(r storage.Reader) (any, error) {
	if r, ok := r.(versioned); ok {
		return r.Version()
	}
	return nil, nil
}

// again makes the plan of look from the facts that hold under the lock. Where
// they are the same, in the same second, so is the plan.
func (p *pulling) again(ctx context.Context, tx storage.Writer, plan inbox.Plan) (inbox.Plan, error) {
	version, err := versionOf(tx)
	if err != nil {
		return plan, err
	}
	now := p.in.now()
	if version != nil && version == p.seen && now == p.now {
		return plan, nil
	}
	p.now = now
	return p.plan(ctx, tx, false)
}
