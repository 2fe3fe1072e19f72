package porttest

import (
	"slices"
	"testing"
)

// topic is one subtest of the suite; it makes the places it needs.
type topic struct {
	name string
	run  func(*testing.T, Factory)
}

func topics() []topic {
	return slices.Concat(
		itemTopics(), scanTopics(), queueTopics(), subscriptionTopics(), bindingTopics(),
		claimTopics(), leaseTopics(), scheduleTopics(), transactionTopics(), concurrencyTopics(), waitTopics(), archiveTopics(),
	)
}
