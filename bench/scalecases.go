package main

import "fmt"

// scaleCase is a command that should cost the same at every size.
type scaleCase struct {
	name    string
	limits  func(size int) string // of queue q, in YAML
	prepare func(y *yard, at *site) error
	args    func(at *site, run int) []string
}

// month is the age limit of some cases, in seconds.
const month = 30 * 24 * 60 * 60

// perPull is how many items a delivering pull prints.
const perPull = 4

func noLimits(int) string { return "" }

func allKept(size int) string { return fmt.Sprintf("max_items: %d", size) }

func aMonth(int) string { return fmt.Sprintf("max_age: %d", month) }

func nothingFirst(*yard, *site) error { return nil }

func publishOne(*site, int) []string { return []string{"publish", "q", document(7), "--key", "repo7"} }

// scaleCases lists the commands.
func scaleCases() []scaleCase { return append(publishCases(), pullCases()...) }

func publishCases() []scaleCase {
	later := func(*site, int) []string {
		return append(publishOne(nil, 0), "--now", fmt.Sprint(bulkItems+chunks))
	}
	expiring := func(_ *site, run int) []string {
		return append(publishOne(nil, 0), "--now", fmt.Sprint(firstItem+month+run+1))
	}
	return []scaleCase{
		{"publish, no limit", noLimits, nothingFirst, publishOne},
		{"publish at max_items", allKept, nothingFirst, publishOne},
		{"publish, max_age, nothing too old", aMonth, nothingFirst, later},
		{"publish, max_age, one too old", aMonth, nothingFirst, expiring},
		{"publish, no limit, 200 subscriptions", noLimits, subscriptions(200, "new"), publishOne},
		{"publish at max_items, 200 subscriptions", allKept, subscriptions(200, "new"), publishOne},
		{"publish, max_age, one too old, 200 filters asked", aMonth, subscriptions(200, "all"), expiring},
	}
}

// subscriptions makes subscriptions of one subscriber with filters that match
// nothing.
func subscriptions(n int, start string) func(*yard, *site) error {
	return func(_ *yard, at *site) error {
		for i := range n {
			err := at.step("subscribe", fmt.Sprintf("s%d", i), "--as", "w", "--queue", "q",
				"--filter", `.payload.action == "closed"`, "--start", start)
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func pullCases() []scaleCase {
	subscribed := func(flags ...string) func(*yard, *site) error {
		return func(_ *yard, at *site) error {
			return at.step(append([]string{"subscribe", "s", "--as", "w", "--queue", "q"}, flags...)...)
		}
	}
	pull := func(*site, int) []string { return []string{"pull", "s", "--as", "w", "--max-bytes", "4096"} }
	due := func(*site, int) []string { return []string{"pull", "--due", "--as", "w"} }
	four := []string{"--limit", fmt.Sprint(perPull)}
	all := func(rules ...string) func(*yard, *site) error { return subscribed(append(four, rules...)...) }
	return []scaleCase{
		{"pull of four", noLimits, all(), pull},
		{"pull of four, on-ack", noLimits, all("--consume", "on-ack"), pull},
		{"pull of four, share one, on-ack", noLimits, all("--share", "one", "--consume", "on-ack"), pull},
		{"pull with nothing new", noLimits, subscribed("--start", "new"), pull},
		{"pull --due, 100 subscriptions, nothing new", noLimits, subscriptions(100, "new"), due},
		{"list, newest 50", noLimits, nothingFirst, func(*site, int) []string { return []string{"list", "q"} }},
		{"list --unacked, 50 among the newest 1000", noLimits, ackMost, func(*site, int) []string {
			return []string{"list", "q", "--unacked", "--subscription", "acks"}
		}},
		{"ack", noLimits, subscribed("--consume", "on-ack"), func(_ *site, run int) []string {
			return []string{"ack", fmt.Sprint(run + 1), "--as", "w"}
		}},
		{"show", noLimits, nothingFirst, func(_ *site, run int) []string {
			return []string{"show", fmt.Sprint(run + 1)}
		}},
	}
}

// ackMost publishes a thousand items more and has all but every twentieth of
// them acked.
func ackMost(y *yard, at *site) error {
	err := at.step("subscribe", "acks", "--as", "w", "--queue", "q", "--share", "one", "--start", "new",
		"--filter", ".payload.number % 20 != 0")
	if err != nil {
		return err
	}
	if err := y.lines(at, "q", 0, 1000, timed); err != nil {
		return err
	}
	return at.step("pull", "acks", "--as", "w", "--max-bytes", "1000000")
}
