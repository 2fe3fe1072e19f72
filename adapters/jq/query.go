package jq

import (
	"context"
	"strings"
)

// query implements ports.Query.
type query struct{ *program }

// Run implements ports.Query (VIEW-4). An output over 1 MiB is an error.
func (q query) Run(ctx context.Context, input []byte, now int64, yield func(output string) error) error {
	r := q.start(ctx, now)
	value, err := r.decode(input)
	if err != nil {
		return err
	}
	return r.outputs(value, func(v any) (bool, error) {
		text, ok := v.(string)
		if !ok {
			if text, err = r.encode(v, maxResult); err != nil {
				return false, err
			}
		}
		return true, yield(strings.ToValidUTF8(text, "\ufffd"))
	})
}
