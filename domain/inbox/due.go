package inbox

import (
	"cmp"
	"slices"
)

// DueOrder keeps the bindings that are due at now, in the order in which a due
// pull visits them: by due time, then by the number of the pull that last
// delivered, then by name (PULL-10). Broken ones, whose interval nobody can
// read, are taken for the longest interval, so that they are due when their
// stored time has come.
func DueOrder(bound []Bound, now int64) []Bound {
	due := make([]Bound, 0, len(bound))
	for _, b := range bound {
		every := b.Subscription.Rules.Every
		if b.Subscription.Broken != "" {
			every = MaxDuration
		}
		if Due(b.Binding.NextAt, every, now) {
			due = append(due, b)
		}
	}
	slices.SortStableFunc(due, func(a, b Bound) int {
		return cmp.Or(
			cmp.Compare(a.Binding.NextAt, b.Binding.NextAt),
			cmp.Compare(a.Binding.LastPull, b.Binding.LastPull),
			cmp.Compare(a.Binding.Subscription, b.Binding.Subscription),
		)
	})
	return due
}
