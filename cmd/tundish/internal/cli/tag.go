package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

// tag is an item as a call named it.
type tag struct {
	queue string // empty when only the id was given
	item  int64
}

// parseTag reads an item's id, or the tag that a pull prints before an item,
// [queue#id], also without its brackets or its queue (ACK-3).
func parseTag(text string) (tag, error) {
	number, queue := text, ""
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if number, ok = strings.CutSuffix(inner, "]"); !ok || !strings.Contains(number, "#") {
			number = ""
		}
	}
	if at := strings.LastIndexByte(number, '#'); at >= 0 {
		queue, number = number[:at], number[at+1:]
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id < 1 {
		return tag{}, usage("it is the number behind # in [queue#id]", "%q is not an item's id", domain.Shorten(text))
	}
	return tag{queue, id}, nil
}

// itemID reads an item that a call names, and keeps its tag for checkTags.
func (s *session) itemID(text string) (int64, error) {
	named, err := parseTag(text)
	if err == nil && named.queue != "" {
		s.tags = append(s.tags, named)
	}
	return named.item, err
}

// itemIDs reads several.
func (s *session) itemIDs(args []string) ([]int64, error) {
	ids := make([]int64, 0, len(args))
	for _, arg := range args {
		id, err := s.itemID(arg)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// checkTags refuses a tag whose item is in another queue: its number was meant for
// another database, or is mistyped. That there is no such item is for the command to
// tell.
func (s *session) checkTags(ctx context.Context, in *app.Inbox) error {
	for _, named := range s.tags {
		item, err := in.Item(ctx, named.item)
		switch {
		case domain.CodeOf(err) == domain.NotFound:
		case err != nil:
			return err
		case named.queue != item.Queue && named.queue != tagQueue(item.Queue):
			return &domain.Error{
				Code: domain.NotFound, Text: "item " + strconv.FormatInt(named.item, 10) + " is in the queue " +
					strconv.Quote(item.Queue) + ", and not in " + strconv.Quote(domain.Shorten(named.queue)),
				Remedy: "copy the tag as it was printed, or give the number alone",
			}
		}
	}
	return nil
}

// tagQueue is a queue's name as a tag spells it.
func tagQueue(queue string) string {
	return strings.ReplaceAll(domain.Escape(queue), "]", `\u005d`)
}
