package cli

import (
	"context"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// subscription is what init does about the subscription of a subscriber.
type subscription struct {
	name, queue string
	wanted      bool // it is not there yet
}

// subscriptionFor finds out which subscription is to be made, if any. It changes
// nothing (SETUP-8).
func (s *session) subscriptionFor(ctx context.Context, flags initFlags) (subscription, error) {
	if flags.alone {
		return subscription{}, nil
	}
	var bindings []app.BindingStatus
	err := s.withInbox(ctx, func(in *app.Inbox) (err error) {
		bindings, err = in.Status(ctx)
		return err
	})
	if err != nil {
		return subscription{}, err
	}
	for _, b := range bindings {
		if b.Subscriber == flags.as && (flags.queue == "" || b.Queue == flags.queue) {
			return subscription{name: b.Subscription, queue: b.Queue}, nil
		}
	}
	made := subscription{name: flags.name, queue: flags.queue, wanted: true}
	if made.queue == "" {
		if made.queue, err = s.askQueue(flags.as); err != nil {
			return made, err
		}
	}
	if err := inbox.CheckQueue(made.queue); err != nil {
		return made, err
	}
	if made.name == "" {
		made.name = made.queue
	}
	if err := inbox.CheckSubscription(made.name); err != nil {
		return made, &domain.Error{Code: domain.Invalid, Text: "the subscription needs a name", Err: err, Remedy: "give one with --name"}
	}
	for _, b := range bindings {
		if b.Subscription == made.name && b.Queue != made.queue {
			return made, takenName(made, b.Queue)
		}
	}
	return made, nil
}

// takenName says that the subscription of that name reads another queue.
func takenName(wanted subscription, queue string) error {
	return usage("give another name with --name", "the subscription %s reads the queue %s, not %s", wanted.name, queue, wanted.queue)
}

// askQueue asks for a queue where somebody can be asked.
func (s *session) askQueue(who string) (string, error) {
	none := usage("give --queue QUEUE, or --no-subscribe to go without", "%s has no subscription yet", who)
	if !s.asks() {
		return "", none
	}
	queue, err := s.ask(who + " has no subscription yet. Subscribe it to which queue? ")
	if err == nil && queue == "" {
		err = none
	}
	return queue, err
}

// subscribeFor makes the subscription, or binds to the one of that name.
func (s *session) subscribeFor(ctx context.Context, who string, wanted *subscription) error {
	if !wanted.wanted {
		return nil
	}
	return s.withInbox(ctx, func(in *app.Inbox) error {
		request := app.Subscribe{Name: wanted.name, Subscriber: who}
		done, err := in.Subscribe(ctx, request)
		switch {
		case err == nil && done.Rules.Queue != wanted.queue:
			if done.Bound { // it had no subscriber, so that status did not show it
				err = in.Unsubscribe(ctx, wanted.name, who)
			}
			if err != nil {
				return err
			}
			return takenName(*wanted, done.Rules.Queue)
		case domain.CodeOf(err) == domain.NotFound:
			rules := inbox.DefaultRules(wanted.queue)
			request.Rules = &rules
			done, err = in.Subscribe(ctx, request)
		}
		if err != nil {
			return err
		}
		s.printSubscribed(wanted.name, who, done)
		return nil
	})
}
