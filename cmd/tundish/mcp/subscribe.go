package mcp

import (
	"cmp"
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/domain/inbox"
)

type subscribeInput struct {
	Name        string `json:"name" jsonschema:"the subscription, such as builds"`
	As          string `json:"as,omitempty" jsonschema:"the subscriber: a lasting name, such as an agent's role"`
	Queue       string `json:"queue,omitempty" jsonschema:"create the subscription on this queue, or replace all its rules; leave it out to join one that is there"`
	Filter      string `json:"filter,omitempty" jsonschema:"a jq expression over {id, queue, key, payload, created_at}; an item matches when any output is neither false nor null"`
	Template    string `json:"template,omitempty" jsonschema:"a jq expression whose output is the text of an item"`
	Select      string `json:"select,omitempty" jsonschema:"since-last-read (default), or latest for the newest limit items only"`
	Limit       int64  `json:"limit,omitempty" jsonschema:"at most so many items a pull"`
	Consume     string `json:"consume,omitempty" jsonschema:"on-read (default), or on-ack: an item is done when someone acked it"`
	Share       string `json:"share,omitempty" jsonschema:"all (default): every subscriber gets every item; one: each item goes to one of them"`
	Every       string `json:"every,omitempty" jsonschema:"a pull of what is due delivers at most once in this duration, such as 10m"`
	Lease       string `json:"lease,omitempty" jsonschema:"with share one and consume on-ack, how long an item is held for its subscriber, such as 10m (default)"`
	MaxAttempts int64  `json:"max_attempts,omitempty" jsonschema:"leases on an item before it is parked; 3 if left out"`
	Start       string `json:"start,omitempty" jsonschema:"all (default), or new to leave out what is there already"`
}

type subscribeOutput struct {
	Created    bool        `json:"created" jsonschema:"the subscription is new"`
	Replaced   bool        `json:"replaced" jsonschema:"its rules were replaced"`
	MovedFrom  string      `json:"moved_from,omitempty" jsonschema:"the queue it read before; its positions, acks and leases were reset"`
	Bound      bool        `json:"bound" jsonschema:"the subscriber is new to it"`
	Rules      inbox.Rules `json:"rules" jsonschema:"the rules as stored; every and lease are seconds"`
	SharedWith []string    `json:"shared_with,omitempty" jsonschema:"other subscribers whose rules changed by this too"`
	Lost       []int64     `json:"lost,omitempty" jsonschema:"leased items that nobody gets again"`
	Notes      []string    `json:"notes,omitempty" jsonschema:"what you should know, such as a filter that is probably not what you mean: mend the rules then"`
}

func (s *server) addSubscribe(to *sdk.Server) {
	add(s, to, tool{
		name: "subscribe", title: "Subscribe to a queue", destructive: true, idempotent: true, as: true,
		description: `Bind a subscriber to a subscription, which chooses and renders items of one queue. Without queue it joins a subscription that is there and leaves the rules alone.
With queue it creates the subscription, or replaces all its rules, for its other subscribers too: a rule that is left out takes its default. status tells which subscriptions there are.`,
	}, func(ctx context.Context, input subscribeInput) (out subscribeOutput, text string, err error) {
		who, err := s.who(input.As)
		if err != nil {
			return out, "", err
		}
		rules, err := input.rules()
		if err != nil {
			return out, "", err
		}
		err = s.work(ctx, func(in *app.Inbox) error {
			request := app.Subscribe{Name: input.Name, Subscriber: who, Rules: rules}
			done, err := in.Subscribe(ctx, request)
			out = subscribeOutput{
				Created: done.Created, Replaced: done.Replaced, MovedFrom: done.MovedFrom, Bound: done.Bound,
				Rules: done.Rules, SharedWith: done.SharedWith, Lost: done.Lost, Notes: cli.RemarksOnSubscribe(cli.ByTool, request, done),
			}
			return err
		})
		return out, "", err
	})
}

// rules are nil when the input only binds.
func (i subscribeInput) rules() (*inbox.Rules, error) {
	if i.Queue == "" {
		i.Name, i.As = "", ""
		if i != (subscribeInput{}) {
			return nil, invalid("add queue, and all other rules that are to hold", "a rule was given, and queue is missing")
		}
		return nil, nil
	}
	rules := inbox.DefaultRules(i.Queue)
	rules.Filter, rules.Template, rules.Limit = i.Filter, i.Template, i.Limit
	rules.MaxAttempts = cmp.Or(i.MaxAttempts, rules.MaxAttempts)
	rules.Select = cmp.Or(inbox.Select(stored(i.Select)), rules.Select)
	rules.Consume = cmp.Or(inbox.Consume(stored(i.Consume)), rules.Consume)
	rules.Share = cmp.Or(inbox.Share(i.Share), rules.Share)
	rules.Start = cmp.Or(inbox.Start(i.Start), rules.Start)
	if rules.Select == inbox.Latest && rules.Limit == 0 {
		return nil, invalid("give limit too, 1 or more", "select latest needs a limit")
	}
	for _, d := range []struct {
		name, text string
		to         *int64
	}{{"every", i.Every, &rules.Every}, {"lease", i.Lease, &rules.Lease}} {
		if d.text == "" {
			continue
		}
		seconds, err := inbox.ParseDuration(d.text)
		if err != nil {
			return nil, ofArgument(d.name, err)
		}
		*d.to = seconds
	}
	return &rules, rules.Check()
}

// stored is the stored spelling of a choice.
func stored(choice string) string { return strings.ReplaceAll(choice, "-", "_") }
