package cli

import (
	"context"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

// printOverview prints status --all (VIEW-9).
func (s *session) printOverview(ctx context.Context, in *app.Inbox, asJSON bool) error {
	all, err := in.Overview(ctx)
	if err != nil {
		return err
	}
	now := s.Clock.Now().Unix()
	for _, sub := range all.Subscriptions {
		if asJSON {
			s.printJSON(overviewOf(sub, now))
		} else {
			s.printSubscription(sub, now)
		}
		if sub.Broken != "" {
			s.note("the rules of %s cannot be used: %s", sub.Subscription, sub.Broken)
		}
	}
	for _, q := range all.Queues {
		if asJSON {
			s.printJSON(queueOverview{"queue", q.Queue, q.Items, q.Scheduled, q.NextAt})
			continue
		}
		s.print("queue\t%s\titems=%d\tscheduled=%d\tnext_at=%d\n", domain.Escape(q.Queue), q.Items, q.Scheduled, q.NextAt)
	}
	return nil
}

func (s *session) printSubscription(sub app.SubscriptionStatus, now int64) {
	s.print("subscription\t%s\tqueue=%s\tshare=%s\tsubscribers=%d\tunread=%d\tage=%d\tleased=%d\tparked=%d\n",
		sub.Subscription, domain.Escape(sub.Queue), string(sub.Share), len(sub.Subscribers), sub.Unread, sub.Age, sub.Leased, sub.Parked)
	for _, lag := range sub.Subscribers {
		s.print("subscriber\t%s\t%s\tunread=%d\tage=%d\tnext_at=%d\n", sub.Subscription, lag.Subscriber, lag.Unread, lag.Age, lag.NextAt)
	}
	for _, l := range sub.Leases {
		owner := l.Owner
		if owner == "" {
			owner = "-" // given back, and nobody's until then
		}
		s.print("lease\t%s\t%s\titem=%d\tuntil=%d\tage=%d\tattempts=%d\n", sub.Subscription, owner, l.Item, l.Until, now-l.Granted, l.Attempts)
	}
	for _, l := range sub.ParkedItems {
		s.print("parked\t%s\titem=%d\tattempts=%d\tsince=%d\n", sub.Subscription, l.Item, l.Attempts, l.Until)
	}
	if more := sub.Parked - int64(len(sub.ParkedItems)); more > 0 {
		s.print("parked\t%s\tmore=%d\n", sub.Subscription, more)
	}
}

type subscriptionOverview struct {
	Kind         string        `json:"kind"`
	Subscription string        `json:"subscription"`
	Queue        string        `json:"queue"`
	Share        string        `json:"share"`
	Unread       int64         `json:"unread"`
	Age          int64         `json:"age"`
	Leased       int64         `json:"leased"`
	Parked       int64         `json:"parked"`
	Subscribers  []lagJSON     `json:"subscribers"`
	Leases       []leaseHolder `json:"leases"`
	ParkedItems  []parkedItem  `json:"parked_items,omitempty"` // the first 100 of parked
	Broken       string        `json:"broken,omitempty"`
}

type lagJSON struct {
	Subscriber string `json:"subscriber"`
	Unread     int64  `json:"unread"`
	Age        int64  `json:"age"`
	NextAt     int64  `json:"next_at"`
}

type leaseHolder struct {
	Item     int64  `json:"item"`
	Owner    string `json:"owner"`
	Until    int64  `json:"until"`
	Age      int64  `json:"age"`
	Attempts int64  `json:"attempts"`
}

type parkedItem struct {
	Item     int64 `json:"item"`
	Attempts int64 `json:"attempts"`
	Since    int64 `json:"since"` // when its last lease ended
}

type queueOverview struct {
	Kind      string `json:"kind"`
	Queue     string `json:"queue"`
	Items     int64  `json:"items"`
	Scheduled int64  `json:"scheduled"`
	NextAt    int64  `json:"next_at"`
}

func overviewOf(sub app.SubscriptionStatus, now int64) subscriptionOverview {
	all := subscriptionOverview{
		Kind: "subscription", Subscription: sub.Subscription, Queue: sub.Queue, Share: string(sub.Share),
		Unread: sub.Unread, Age: sub.Age, Leased: sub.Leased, Parked: sub.Parked, Broken: sub.Broken,
		Subscribers: []lagJSON{}, Leases: []leaseHolder{},
	}
	for _, lag := range sub.Subscribers {
		all.Subscribers = append(all.Subscribers, lagJSON(lag))
	}
	for _, l := range sub.Leases {
		all.Leases = append(all.Leases, leaseHolder{l.Item, l.Owner, l.Until, now - l.Granted, l.Attempts})
	}
	for _, l := range sub.ParkedItems {
		all.ParkedItems = append(all.ParkedItems, parkedItem{l.Item, l.Attempts, l.Until})
	}
	return all
}
