package metamorphic

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// step is one line of a program: an operation, and what is settled only while
// the program runs.
type step struct {
	Operation
	ahead int64 // seconds that the clock steps before it
	turn  int   // whose turn it is where several workers share a file
	back  int   // the item of an ack: so many before the last one that was printed or published
	whose whose // the ack is
}

// whose says whose ack it is.
type whose int

const (
	theirs whose = iota // the subscriber's who got the item
	shared              // another's in the subscription that the item was got from
	drawn
)

// GoString is the step in the report of a failure.
func (s step) GoString() string {
	text := fmt.Sprintf("%+d s, turn %d: %s", s.ahead, s.turn, s.Kind)
	if s.Fate != Fine {
		text += " (" + string(s.Fate) + ")"
	}
	switch s.Kind {
	case Publish, PublishAll:
		for _, m := range s.Messages {
			text += fmt.Sprintf(" {%q %s dedupe %q key by %q: %s, release %+v, expires %+v}",
				m.Queue, keyText(m.Key), m.Dedupe, m.KeySelector, m.Payload, m.Release, m.Expires)
		}
		text += fmt.Sprintf(" %+v", s.Limits)
	case Subscribe, Unsubscribe:
		text += fmt.Sprintf(" %s as %s", s.Subscribe.Name, s.Subscribe.Subscriber)
		if s.Subscribe.Rules != nil {
			text += " " + s.Subscribe.Rules.JSON()
		}
	case Pull:
		text += fmt.Sprintf(" %+v", s.Pull)
	case Ack, Item, Unschedule, AckThrough, Nack, Extend, Unpark:
		text += fmt.Sprintf(" %+v, %d back, whose %d, also %d, %d s", s.Ack, s.back, s.whose, s.Also, s.Seconds)
	case Seek:
		text += fmt.Sprintf(" %+v", s.Seek)
	case List:
		text += fmt.Sprintf(" %+v", s.List)
	}
	return text
}

func keyText(key *string) string {
	if key == nil {
		return "no key"
	}
	return *key
}

// draw draws one of a list; what stands first is what a failure is shrunk to.
func draw[T any](t *rapid.T, list ...T) T { return rapid.SampledFrom(list).Draw(t, "") }

// anyKinds are the kinds as often as they shall come.
func anyKinds() []Kind {
	often := []Kind{Publish, Subscribe, Pull, Publish, Pull, Ack, Publish, Pull}
	rare := []Kind{PublishAll, State, Unsubscribe, Item, List, Queues, Status, Check, Reopen, Scheduled, Unschedule, Overview, PublishAll}
	claims := []Kind{Nack, Extend, AckThrough, Nack, Unpark, Seek}
	return slices.Concat(often, often, rare[:5], often, often, claims[:3], rare, often, often, claims)
}

// author writes a program.
type author struct {
	steps []step
	bound []app.Subscribe // that were asked for
}

// anySteps draws the steps of a program. What is drawn for a step depends on its
// kind alone, so that rapid can take steps out without turning the others into
// something else.
func anySteps(t *rapid.T) []step {
	kinds := rapid.SampledFrom(anyKinds())
	a := &author{}
	next := rapid.Custom(func(t *rapid.T) step {
		kind := kinds.Draw(t, "")
		if len(a.bound) == 0 && (kind == Pull || kind == Ack || kind == Nack || kind == Extend) {
			kind = Subscribe // there would be nothing to pull
		}
		return a.anyStep(t, kind)
	})
	t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
		s := next.Draw(t, "step")
		a.steps = append(a.steps, s)
		if s.Kind == Subscribe && (s.Subscribe.Rules == nil || s.Subscribe.Rules.Check() == nil) {
			a.bound = append(a.bound, s.Subscribe)
		}
	}})
	return a.steps
}

func (a *author) anyStep(t *rapid.T, kind Kind) step {
	s := step{turn: draw(t, 0, 1), ahead: anyTick(t)}
	s.Kind = kind
	if one := draw(t, append(make([]int, 40), 1, 0, 0, 0)...); one == 1 && kind != Reopen {
		s.Fate = Ended
	}
	switch kind {
	case Publish:
		s.Messages, s.Limits = []app.Message{anyMessage(t)}, anyLimits(t)
	case PublishAll:
		queue := anyQueue(t)
		for range draw(t, 1, 3, 2, 4, 12, 7) {
			m := anyMessage(t)
			m.Queue, m.Dedupe, m.Release = queue, "", inbox.Moment{}
			s.Messages = append(s.Messages, m)
		}
		s.Limits = anyLimits(t)
	case Subscribe:
		s.Subscribe = app.Subscribe{Name: anySubscription(t), Subscriber: anySubscriber(t)}
		rules, known, bind := anyRules(t), a.known(t), draw(t, false, true, false)
		if bind && known.Name != "" {
			s.Subscribe.Name = known.Name
		} else {
			s.Subscribe.Rules = &rules
		}
	case Unsubscribe:
		s.Subscribe.Name, s.Subscribe.Subscriber = a.names(t)
	case Pull:
		s.Pull, s.Fate = a.anyPull(t), draw(t, append(slices.Repeat([]Fate{Fine}, 25), Closed, Short, Unflushed, Late, Ended, Fine, Fine)...)
	case Ack, Item, AckThrough, Nack, Extend, Unpark:
		s.Ack = app.Ack{Subscriber: anySubscriber(t), Subscription: draw(t, "", "", "a", "b", "c", "a", "b", ""), Note: draw(t, "", "", "done", "", "two\nlines ü", "\x1b", "")}
		s.Seconds, s.Also = draw(t, int64(0), 1, 10, 0, 600, 2, 1, 0, 5, -1, 0, 1, 2, 10), draw(t, int64(0), 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0)
		s.back, s.whose = draw(t, 0, 1, 2, 3, 5, 8, 4, 0, 0, 1, 2, -1000, 6, 3, 1, 2), draw(t, theirs, shared, theirs, shared, drawn, shared, theirs, theirs)
		if kind == Nack || kind == Extend {
			s.ahead, s.back = draw(t, int64(0), 1, 0, s.ahead), min(max(s.back, 0), 1) // else its lease has ended
		}
	case Unschedule:
		s.Ack.Item = draw(t, int64(1), 2, 3, 4, 1, 2, 5, 8)
	case Seek:
		s.Seek.Subscription, s.Seek.Subscriber = a.names(t)
		s.Seek.To = inbox.Place{Item: draw(t, int64(0), 1, 2, 3, 0, 5, 9, 1<<40, 4), New: draw(t, false, false, false, true)}
		if draw(t, false, false, true) {
			s.Seek.To.Since = begin + draw(t, int64(0), 1, 5, minute, day, -day, 10*year)
		}
	case List:
		s.List = app.List{Queue: anyQueue(t), Limit: draw(t, int64(-1), 1, 0, 3, 50), Unacked: draw(t, false, true)}
		if s.List.Unacked {
			s.List.Subscription = draw(t, "", "a", "b")
		}
		if key := draw(t, "", "", "k", "K"); key != "" {
			s.List.Key = &key
		}
		s.List.Text, s.List.Since = draw(t, "", "", "n", "one"), draw(t, int64(0), 0, 0, begin, begin+minute)
	}
	return s
}

// The steps of the clock, in seconds.
const (
	minute = 60
	day    = 86400
	year   = 365 * day
)

func anyTick(t *rapid.T) int64 {
	return draw[int64](t, 0, 1, 0, 2, 0, 5, 0, 0, 1, 0, 10, 0, -1, 0, 1, 0, -2, 5, minute, 0, minute+1,
		-minute, -minute-1, 0, day, -day, 0, 10*year, 0, -10*year, 601, 0, -year, year, 0, 1, 0)
}

func anyQueue(t *rapid.T) string {
	return draw(t, append(slices.Concat([]string{"q", "q", "q", "q"}, queues(), queues(), queues(), queues(), queues(), []string{"a]b"}), "q", "q", "q")...)
}

func anySubscription(t *rapid.T) string {
	return draw(t, "a", "b", "a", "b", "c", "c", "a", "b", "c", "a", "b", "d", "c", "a", "b", "c", "a", "b", "c", "a", "b", "no name", "a", "b")
}

func anySubscriber(t *rapid.T) string {
	return draw(t, "v", "w", "v", "w", "v", "w", "v", "w", "v", "w", "v", "w", "W.1", "v", "w", "v", "w", "v", "w", "v", "no one", "v", "w")
}

func anyMessage(t *rapid.T) app.Message {
	m := app.Message{Queue: anyQueue(t), Payload: []byte(draw(t, payloads()...))}
	if key := draw(t, "", "k", "k", "K", "[q#1] ü", "", "k", "K", "", "k", "", "k", "K", "", "k", "", "k", "\x1b", "", "k"); key != "" {
		m.Key = &key
	}
	m.Dedupe = draw(t, append(slices.Concat(slices.Repeat([]string{""}, 8), dedupes(), dedupes()[:1]), "", "", "d", "")...)
	m.Release, m.Expires = anyMoment(t), anyMoment(t)
	m.KeySelector = draw(t, append(slices.Repeat([]string{""}, 22), ".s?", ".n?", "null", ".s?", ".[", "", "")...)
	return m
}

// anyMoment is none, mostly.
func anyMoment(t *rapid.T) inbox.Moment {
	var none inbox.Moment
	after := func(seconds int64) inbox.Moment { return inbox.Moment{In: seconds} }
	return draw(t, none, after(1), none, after(5), none, none, after(minute), none, inbox.Moment{At: begin + 20}, none, after(2), none,
		none, after(day), none, inbox.Moment{At: begin + year}, none, none, after(1), none, none)
}

// payloads are what is published: some fail in filters, some are too long for a
// budget, some look like frames, and the last are no JSON.
func payloads() []string {
	return []string{
		"1", `{"n":1,"s":"one"}`, `{"n":2,"s":"two\nlines"}`, `{"n":3,"s":"[q#1] \"forged\""}`, "2", `{"n":5}`, `{"n":6,"s":"k"}`,
		`"text"`, `{"n":4,"s":"` + strings.Repeat("long ", 80) + `"}`, "null", `[1e400,1.0,{"a":1,"a":2}]`, `{"n":8,"s":"\u202e\u001b"}`,
		`{"n":9,"s":"` + strings.Repeat("日本", 400) + `"}`, `{"n":10,"s":"tundish: subscription=a"}`, `{"n":`, `{"n":11,"s":""}`,
	}
}

func anyLimits(t *rapid.T) inbox.Retention {
	none := inbox.DefaultRetention()
	return draw(t, none, none, none, inbox.Retention{MaxAge: 5}, inbox.Retention{MaxItems: 6}, none, none, inbox.Retention{MaxItems: 2},
		inbox.Retention{MaxAge: 30}, none, none, inbox.Retention{MaxAge: day}, inbox.Retention{MaxItems: 4, MaxAge: 5}, none, none, none)
}

func anyRules(t *rapid.T) inbox.Rules {
	r := inbox.DefaultRules(draw(t, "q", "q", "q", "q", "q", "q", "q", queues()[1], "q", "q", queues()[2], "q", "q", "q", "q", "q", "q", "q", "]", "q", "q"))
	r.Filter = draw(t, filters()...)
	r.Template = draw(t, templates()...)
	r.Limit = draw(t, int64(0), 1, 2, 3, 0, 0, 2, 0, 1, 0, 3, 0, 5, 0, 0, 1, 2, 0, 1, 2, -1, 0, 0)
	r.Consume = draw(t, inbox.OnRead, inbox.OnAck, inbox.OnAck)
	r.Share = draw(t, inbox.All, inbox.One, inbox.One)
	r.Every = draw(t, int64(0), 0, 0, 1, 0, 10, minute, day, 0, 2, inbox.MaxDuration, 0)
	r.Lease = draw(t, int64(1), 5, 600, 1, 2, 1, 3, day, 1, inbox.MaxDuration, 2, 5, 10, 1, 5, 1, 3, 2, 1, 0, 1, 600)
	r.MaxAttempts = draw(t, int64(1), 2, 3, 2)
	r.Start = draw(t, inbox.StartAll, inbox.StartAll, inbox.StartAll, inbox.StartNew)
	if draw(t, false, false, false, true, false) {
		r.Select = inbox.Latest // of which some rules are refused
		if draw(t, true, true, true, true, true, true, false, true) {
			r.Share, r.Limit = inbox.All, max(r.Limit, 1)
		}
	}
	return r
}

func filters() []string {
	return []string{
		"", "", ".payload.n > 2", `.key == "k"`, "", ".payload.n % 2 == 0", "", "", `.key == "k" and .payload.n > 2`, "", "",
		".id % 3 != 0", ".created_at <= now", "", `.payload.s | test("o")`, "", "error(\"no\")", "", "false", "", ".payload[", "", "env.HOME", "", "", ".payload.n > 0", "", "",
	}
}

func templates() []string {
	return []string{
		"", "", ".payload.s", "", `"\(.id) \(.payload)"`, "", "", ".payload.s, .key", "", "", `.payload | tostring | . * 9`,
		"", `error("bad")`, "empty", `"[\(.queue)#\(.id)] mine"`, `"tundish: subscription=a"`, `"at \(now)"`, "", ".[", "", "input", "", "", "", ".payload.s", "", "",
	}
}

// known is a subscribe of an earlier step; zero when there was none.
func (a *author) known(t *rapid.T) app.Subscribe {
	i := draw(t, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	if len(a.bound) == 0 {
		return app.Subscribe{}
	}
	return a.bound[i%len(a.bound)]
}

// names are mostly those of a binding that an earlier step asked for.
func (a *author) names(t *rapid.T) (subscription, subscriber string) {
	subscription, subscriber = anySubscription(t), anySubscriber(t)
	known, other := a.known(t), draw(t, false, false, false, false, false, false, true, false)
	if known.Name == "" || other {
		return subscription, subscriber
	}
	return known.Name, known.Subscriber
}

func (a *author) anyPull(t *rapid.T) app.Pull {
	p := app.Pull{MaxBytes: draw(t, 0, 100_000, 0, 400, 0, 401, 500, 0, 700, 2000, 0, 0, 0, 400, 0, 0, 450, 0, 0, 399, 0, 0)}
	p.Subscription, p.Subscriber = a.names(t)
	if p.Due = draw(t, false, false, true, false); p.Due {
		p.Subscription = ""
	}
	return p
}
