package app

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// Check looks for what is wrong and describes each finding in a line: damage in
// the store, stored rules that cannot be read, expressions that do not compile.
// None means that all is well.
func (in *Inbox) Check(ctx context.Context) ([]string, error) {
	findings, err := in.store.Check(ctx)
	if err != nil {
		return nil, err
	}
	err = in.store.View(ctx, func(r storage.Reader) error {
		subs, err := r.Subscriptions()
		if err != nil {
			return err
		}
		for _, sub := range subs {
			if sub.Broken != "" {
				continue // the store has named it
			}
			if err := in.newJudge(sub.Rules, in.now()).compile(); err != nil {
				findings = append(findings, fmt.Sprintf("the subscription %q: %v", sub.Name, err))
			}
		}
		return nil
	})
	if len(findings) > 0 && domain.CodeOf(err) == domain.Corrupt {
		err = nil // which the findings explain
	}
	return findings, err
}
