package porttest

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// dump writes down everything that a reader answers about some queues, the
// subscriptions and their claims, a line a fact. It calls every method.
func dump(r storage.Reader, queues ...string) string {
	d := &dumper{r: r}
	d.line("queues", list(one(r.Queues())))
	for _, queue := range queues {
		d.queue(queue)
	}
	d.line("scheduled", list(scheduled(r, storage.ScheduleQuery{})))
	d.line("scheduled by queue", list(one(r.ScheduledCounts())))
	d.line("subscriptions", list(one(r.Subscriptions())))
	subscribers := map[string]bool{}
	for _, sub := range one(r.Subscriptions()) {
		d.subscription(sub.Name)
		for _, binding := range one(r.Bindings(sub.Name)) {
			if !subscribers[binding.Subscriber] {
				subscribers[binding.Subscriber] = true
				d.line("bound by "+binding.Subscriber, list(one(r.BoundBy(binding.Subscriber))))
			}
		}
	}
	d.line("acks", list(one(r.Acks(d.items))))
	d.line("leases", list(one(r.LeasesOn(d.items))))
	return strings.Join(d.lines, "\n")
}

type dumper struct {
	r     storage.Reader
	items []int64 // ids of all items so far
	lines []string
}

func (d *dumper) line(what string, answer any) {
	d.lines = append(d.lines, what+": "+written(answer))
}

func (d *dumper) queue(queue string) {
	r := d.r
	for _, item := range all(r, storage.Scan{Queue: queue}) {
		d.line("item", written(found(r.Item(item.ID)))+" in "+item.Queue)
		d.items = append(d.items, item.ID)
	}
	d.line("count of "+queue, one(r.Count(queue)))
	d.line("newest", one(r.Newest(queue)))
	d.line("expired", list(one(r.Expired(queue, math.MaxInt32, math.MaxInt32))))
	d.line("older", list(one(r.Older(queue, math.MaxInt32, math.MaxInt32))))
	d.line("subscriptions on it", list(one(r.SubscriptionsOn(queue))))
	for _, id := range ids() {
		d.line("dedupe "+id, found(r.Dedupe(queue, id)))
	}
	for _, id := range idsOf(r, storage.Scan{Queue: queue, HeadsOnly: true, Descending: true}) {
		d.line(fmt.Sprintf("beyond %d", id), []int64{one(r.CountAfter(queue, id)), one(r.NextAfter(queue, id))})
	}
}

func (d *dumper) subscription(name string) {
	r := d.r
	d.line(name, found(r.Subscription(name)))
	for _, binding := range one(r.Bindings(name)) {
		d.line("binding", found(r.Bound(name, binding.Subscriber)))
		d.line("shown", one(r.CountShown(name, binding.Subscriber)))
		d.line("which", list(one(r.ShownTo(name, binding.Subscriber, math.MaxInt64))))
	}
	d.line("leases", list(one(r.Leases(name, storage.LeaseQuery{}))))
	d.line("number of leases", one(r.CountLeases(name, storage.LeaseQuery{})))
	claimed := one(r.Claimed(name, 0, 0))
	d.line("claimed", list(claimed))
	for _, item := range claimed {
		d.line("ack", found(r.Ack(name, item)))
		d.line("lease", found(r.Lease(name, item)))
	}
}

// ids are the publishers' ids that samples use.
func ids() []string { return []string{"d", "e", "ü"} }

// list makes no result and an empty one look alike.
func list[T any](rows []T) []T { return append([]T{}, rows...) }

// written is a value as one line that depends on nothing but the value.
func written(value any) string {
	if item, ok := value.(*inbox.Item); ok && item != nil {
		return fmt.Sprintf("%d at %d until %d key %q payload %s", item.ID, item.CreatedAt, item.ExpiresAt, text(item.Key), item.Payload)
	}
	if line, ok := value.(string); ok {
		return line
	}
	bytes, err := json.Marshal(value)
	if err != nil {
		fail(err)
	}
	return string(bytes)
}
