package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// staleAfter is the age of an unread item, in seconds, from which its subscriber
// counts as gone.
const staleAfter = 7 * 24 * 3600

// mail looks at every subscription and its subscribers.
func (d *diagnosis) mail(ctx context.Context, in *app.Inbox, limits func(queue string) inbox.Retention) error {
	since := len(d.findings)
	all, err := in.Overview(ctx)
	if err != nil {
		return err
	}
	for _, sub := range all.Subscriptions {
		if len(sub.Subscribers) == 0 {
			d.add("subscribers", setup.Unknown, "nobody subscribes to "+sub.Subscription, "tundish delete "+sub.Subscription+" if nobody will")
		}
		for _, lag := range sub.Subscribers {
			d.reader(sub, lag, limits(sub.Queue).MaxItems)
		}
	}
	d.allGood(since, "subscribers", fmt.Sprintf("%s read what comes", plural(int64(len(d.bindings)), "subscriber")))
	parked := map[string]bool{}
	for _, b := range d.bindings {
		if b.Counts.Parked > 0 && !parked[b.Subscription] {
			parked[b.Subscription] = true
			d.bad("parked", fmt.Sprintf("%s has %d items on which every attempt failed", b.Subscription, b.Counts.Parked),
				"tundish ack ID, or tundish unpark ID, with --subscription "+b.Subscription)
		}
		if b.Counts.Dropped > 0 {
			d.bad("dropped", fmt.Sprintf("retention removed %d items that %s had not got from %s", b.Counts.Dropped, b.Subscriber, b.Subscription),
				"pull more often, or raise max_items and max_age of the queue "+domain.Escape(b.Queue))
		}
		d.expressions(ctx, in, b)
	}
	d.allGood(since, "parked", "no item is")
	d.allGood(since, "dropped", "no unread item was lost")
	d.allGood(since, "expressions", "filters and templates work, and are quick")
	return nil
}

// reader looks whether a subscriber reads: one that does not keeps its queue from
// being cut to its limit.
func (d *diagnosis) reader(sub app.SubscriptionStatus, lag app.Lag, most int64) {
	remedy := fmt.Sprintf("let it pull, or tundish unsubscribe %s --as %s", sub.Subscription, lag.Subscriber)
	switch {
	case lag.Unread > 0 && lag.Age >= staleAfter:
		d.bad("subscribers", fmt.Sprintf("%s has left %d items of %s unread, the oldest for %d days", lag.Subscriber, lag.Unread, sub.Subscription, lag.Age/86400), remedy)
	case most > 0 && lag.Unread > most:
		d.bad("subscribers", fmt.Sprintf("%s has left %d items of %s unread, so that retention cannot cut %s to %d",
			lag.Subscriber, lag.Unread, sub.Subscription, domain.Escape(sub.Queue), most), remedy)
	}
}

// expressions looks whether the rules of a subscription work, and how long a pull
// needs now. Nothing is marked as read.
func (d *diagnosis) expressions(ctx context.Context, in *app.Inbox, b app.BindingStatus) {
	change := fmt.Sprintf("change it with tundish subscribe %s --as %s --queue %s and all its rules", b.Subscription, b.Subscriber, domain.Escape(b.Queue))
	switch {
	case b.Broken != "":
		d.bad("expressions", "the rules of "+b.Subscription+" cannot be used: "+b.Broken, change)
		return
	case b.LastError != "":
		d.bad("expressions", "the filter of "+b.Subscription+" failed last with "+b.LastError, change)
	}
	const slow, longest = 300 * time.Millisecond, 2 * time.Second // gaff allows 400 ms
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	begun := time.Now()
	pulled, err := in.Peek(ctx, app.Pull{Subscription: b.Subscription, Subscriber: b.Subscriber, MaxBytes: 9000}, io.Discard)
	took := time.Since(begun)
	switch {
	case ctx.Err() != nil, err == nil && took > slow:
		d.bad("expressions", fmt.Sprintf("a pull of %s by %s takes %d ms, and a hook may have 400", b.Subscription, b.Subscriber, took.Milliseconds()),
			"make the filter simpler, or let "+b.Subscriber+" pull more often")
	case err != nil:
		d.bad("expressions", "a pull of "+b.Subscription+" by "+b.Subscriber+" fails: "+err.Error(), change)
	}
	for _, skip := range pulled.Skipped {
		d.bad("expressions", "a pull skips "+skip.Subscription+": "+fmt.Sprint(skip.Reason), change)
	}
}
