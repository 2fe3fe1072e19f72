package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

type ackInput struct {
	IDs          []int64 `json:"ids" jsonschema:"the items' ids: the numbers behind # in their tags"`
	Subscription string  `json:"subscription,omitempty" jsonschema:"whose items they are, when you have several subscriptions to their queue"`
	As           string  `json:"as,omitempty" jsonschema:"the subscriber who takes them"`
	Note         string  `json:"note,omitempty" jsonschema:"what you will do, or why nothing: others see it when they show the item; at most 4 KiB"`
}

type ackOutput struct {
	Acked []ackedItem `json:"acked"`
}

type ackedItem struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription"`
	Repeat       bool   `json:"repeat" jsonschema:"you had acked it before"`
	WasParked    bool   `json:"was_parked,omitempty" jsonschema:"its last lease had run out: nobody would have got it again"`
	NeverPulled  bool   `json:"never_pulled,omitempty" jsonschema:"no pull had delivered it yet"`
	NoteLost     bool   `json:"note_lost,omitempty" jsonschema:"it is a repeat, and the note is not stored"`
}

func (s *server) addAck(to *sdk.Server) {
	add(s, to, tool{
		name: "ack", title: "Take responsibility for items", idempotent: true, as: true,
		description: `Take responsibility for items, within one subscription, all of them or none: call it before you act on them. The first ack wins.
An error that says "already acked by WHO at SECONDS" or "leased by WHO until SECONDS" means that another agent has the item: leave it to them, and do not act on it.`,
	}, func(ctx context.Context, input ackInput) (out ackOutput, text string, err error) {
		who, err := s.claims(input.As, input.IDs)
		if err != nil {
			return out, "", err
		}
		err = s.work(ctx, func(in *app.Inbox) error {
			done, err := in.AckMany(ctx, app.AckMany{Items: input.IDs, Subscriber: who, Subscription: input.Subscription, Note: input.Note})
			for _, a := range done {
				out.Acked = append(out.Acked, ackedItem{
					Item: a.Item, Subscription: a.Subscription, Repeat: a.Repeat,
					WasParked: a.WasParked, NeverPulled: a.NeverPulled, NoteLost: a.NoteLost,
				})
			}
			return err
		})
		return out, "", err
	})
}

type nackInput struct {
	IDs          []int64 `json:"ids" jsonschema:"the items' ids: the numbers behind # in their tags"`
	Delay        string  `json:"delay,omitempty" jsonschema:"let nobody get them for this duration, such as 90s or 10m; leave it out for at once"`
	Subscription string  `json:"subscription,omitempty" jsonschema:"whose items they are, when you have several subscriptions to their queue"`
	As           string  `json:"as,omitempty" jsonschema:"the subscriber who gives them back"`
}

type nackOutput struct {
	Nacked []nackedItem `json:"nacked"`
}

type nackedItem struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription"`
	Attempts     int64  `json:"attempts" jsonschema:"how often it was given to somebody"`
	Until        int64  `json:"until,omitempty" jsonschema:"Unix seconds from which on a pull gets it"`
	Parked       bool   `json:"parked" jsonschema:"that was its last attempt: no pull gets it again"`
}

func (s *server) addNack(to *sdk.Server) {
	add(s, to, tool{
		name: "nack", title: "Give items back", as: true,
		description: `Give items back that a pull leased to you and that you will not handle, all of them or none: the next pull of any subscriber gets them, or one after the delay. The attempt counts; after the last one an item is parked.
Only a subscription with share one and consume on-ack leases items.`,
	}, func(ctx context.Context, input nackInput) (out nackOutput, text string, err error) {
		who, err := s.claims(input.As, input.IDs)
		if err != nil {
			return out, "", err
		}
		request := app.Nack{Items: input.IDs, Subscriber: who, Subscription: input.Subscription}
		if input.Delay != "" {
			if request.Delay, err = inbox.ParseDuration(input.Delay); err != nil {
				return out, "", ofArgument("delay", err)
			}
		}
		err = s.work(ctx, func(in *app.Inbox) error {
			done, err := in.Nack(ctx, request)
			for _, n := range done {
				one := nackedItem{Item: n.Item, Subscription: n.Subscription, Attempts: n.Attempts, Parked: n.Parked}
				if !n.Parked {
					one.Until = n.Until
				}
				out.Nacked = append(out.Nacked, one)
			}
			return err
		})
		return out, "", err
	})
}

// claims checks who calls, and for which items.
func (s *server) claims(as string, ids []int64) (who string, err error) {
	const remedy = "give the number behind # in the item's tag"
	if len(ids) == 0 {
		return "", invalid(remedy, "ids [] is empty")
	}
	for _, id := range ids {
		if id < 1 {
			return "", invalid(remedy, "%d is not an item's id", id)
		}
	}
	return s.who(as)
}
