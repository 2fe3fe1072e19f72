package cli

import (
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

// Caller is who gets a remark, which names what that caller can write.
type Caller bool

// The callers: a person at the command line, and a model that calls a tool.
const (
	ByCommand Caller = false
	ByTool    Caller = true
)

// flag is how the caller writes the name of a value that it gives.
func (c Caller) flag(name string) string {
	if c == ByTool {
		return name
	}
	return "--" + name
}

// show is how the caller reads an item.
func (c Caller) show() string {
	if c == ByTool {
		return "the tool show"
	}
	return "tundish show ID"
}

// RemarksOnSubscribe are the lines that tell what is remarkable about a change of a
// subscription: whom else it concerns, what is lost, and what is probably not meant
// (CMD-3, CMD-5, MCP-3). They are not escaped; nil when there is nothing to say.
func RemarksOnSubscribe(by Caller, request app.Subscribe, done app.Subscribed) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if len(done.SharedWith) > 0 {
		add("the rules of %s now changed for %s too", request.Name, strings.Join(done.SharedWith, ", "))
	}
	if len(done.Lost) > 0 {
		add("leased items that nobody gets again under share all: %s; read them with %s", idList(done.Lost), by.show())
	}
	if request.Rules != nil && assigns(request.Rules.Filter) {
		add("%s: a single = assigns, and what it gives always matches; == compares", by.flag("filter"))
	}
	for _, stray := range []struct{ flag, name string }{{"filter", done.FilterStray}, {"template", done.TemplateStray}} {
		if stray.name != "" {
			add("%s reads %q of the item, which has none; what was published is under .payload", by.flag(stray.flag), domain.Shorten(stray.name))
		}
	}
	return lines
}

// RemarksOnPublish are the lines that tell that a message asked for a time that has
// passed, at now in Unix seconds (TIME-1, MCP-3); nil when it did not.
func RemarksOnPublish(by Caller, message app.Message, published app.Published, now int64) []string {
	if at := message.Release.At; published.Scheduled == 0 || published.Duplicate || at == 0 || at > now {
		return nil
	}
	return []string{fmt.Sprintf("the time of %s has passed: it becomes an item with the next publish to %s, or the next pull from it", by.flag("at"), message.Queue)}
}

// idList names the first items of a list that can be long.
func idList(ids []int64) string {
	const most = 20
	var b strings.Builder
	for i, id := range ids {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(ids)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, id)
	}
	return b.String()
}
