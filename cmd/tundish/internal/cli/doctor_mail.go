package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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
			d.add("subscribers", setup.Unknown, "nobody subscribes to "+sub.Subscription, "if nobody will, run "+d.command("delete", sub.Subscription))
		}
		for _, lag := range sub.Subscribers {
			d.reader(sub, lag, limits(sub.Queue).MaxItems)
		}
		d.parked(sub)
	}
	d.allGood(since, "subscribers", fmt.Sprintf("%s read what comes", plural(int64(len(d.bindings)), "subscriber")))
	for _, b := range d.bindings {
		if b.Counts.Dropped > 0 {
			d.bad("dropped", fmt.Sprintf("retention removed %s that %s had not got from %s", plural(b.Counts.Dropped, "item"), b.Subscriber, b.Subscription),
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
	remedy := "let it pull, or run " + d.command("unsubscribe", sub.Subscription, "--as", lag.Subscriber)
	switch {
	case lag.Unread > 0 && lag.Age >= staleAfter:
		d.bad("subscribers", fmt.Sprintf("%s has left %s of %s unread, the oldest for %s",
			lag.Subscriber, plural(lag.Unread, "item"), sub.Subscription, plural(lag.Age/86400, "day")), remedy)
	case most > 0 && lag.Unread > most:
		d.bad("subscribers", fmt.Sprintf("%s has left %s of %s unread, so that retention cannot cut %s to %d",
			lag.Subscriber, plural(lag.Unread, "item"), sub.Subscription, domain.Escape(sub.Queue), most), remedy)
	}
}

// parked names items on which every attempt failed, and what can be done.
func (d *diagnosis) parked(sub app.SubscriptionStatus) {
	if sub.Parked == 0 {
		return
	}
	const most = 5
	var ids []string
	for _, lease := range sub.ParkedItems[:min(most, len(sub.ParkedItems))] {
		ids = append(ids, strconv.FormatInt(lease.Item, 10))
	}
	what := fmt.Sprintf("%s has %s on which every attempt failed: %s", sub.Subscription, plural(sub.Parked, "item"), strings.Join(ids, ", "))
	if left := sub.Parked - int64(len(ids)); left > 0 {
		what += fmt.Sprintf(" and %d more", left)
	}
	named := func(command string, more ...string) string {
		return d.command(slices.Concat([]string{command}, ids, []string{"--subscription", sub.Subscription}, more)...)
	}
	remedy := "to try again: " + named("unpark")
	if len(sub.Subscribers) > 0 {
		remedy += "; to give up: " + named("ack", "--as", sub.Subscribers[0].Subscriber)
	}
	d.bad("parked", what, remedy)
}

// expressions looks whether the rules of a subscription work, and how long a pull
// needs now. Nothing is marked as read.
func (d *diagnosis) expressions(ctx context.Context, in *app.Inbox, b app.BindingStatus) {
	change := "to see its rules: " + d.command("subscribe", b.Subscription, "--as", b.Subscriber) +
		"; with --queue " + setup.ShellWord(b.Queue) + " and all of them behind, it changes them"
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
