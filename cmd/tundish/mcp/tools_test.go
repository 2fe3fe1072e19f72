package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// MCP-1: every tool has schemas, a description, and hints that are true.
func TestMCP1_Tools(t *testing.T) {
	h := newHouse(t, "w").connect()
	list, err := h.session.ListTools(t.Context(), nil)
	h.must(err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		reads := slices.Contains([]string{"list", "show", "status"}, tool.Name)
		if tool.Description == "" || tool.InputSchema == nil || a.ReadOnlyHint != reads || *a.OpenWorldHint || *a.DestructiveHint != (tool.Name == "subscribe") {
			t.Errorf("%s: %q %+v", tool.Name, tool.Description, a)
		}
		if (tool.OutputSchema == nil) != (tool.Name == "pull") {
			t.Errorf("%s has the output schema %v", tool.Name, tool.OutputSchema)
		}
	}
	if got := strings.Join(names, " "); got != "ack list nack publish pull show status subscribe" {
		t.Error(got)
	}
	init := h.session.InitializeResult()
	if !strings.Contains(init.Instructions, "You are the subscriber w.") || init.ServerInfo.Version != "test" {
		t.Errorf("%+v", init)
	}
}

// MCP-3: what the tools do is what the commands do, and the text of a pull is what
// the command prints.
func TestMCP3_PublishPullAck(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", args{"name": "s", "queue": "q", "filter": ".payload.n > 0"})
	if got := h.good("publish", args{"queue": "q", "payload": args{"n": 1}, "key": "k", "dedupe": "d"}); got != `{"id":1,"duplicate":false}` {
		t.Error(got)
	}
	if got := h.good("publish", args{"queue": "q", "payload": args{"n": 1}, "dedupe": "d"}); got != `{"id":1,"duplicate":true}` {
		t.Error(got)
	}
	_, err := h.inbox.Subscribe(t.Context(), app.Subscribe{Name: "s", Subscriber: "command"})
	h.must(err)
	var printed bytes.Buffer
	_, err = h.inbox.Pull(t.Context(), app.Pull{Subscription: "s", Subscriber: "command"}, &printed)
	h.must(err)
	want := strings.ReplaceAll(printed.String(), "subscriber=command", "subscriber=w")
	if text := h.good("pull", args{}); text != want || !strings.Contains(want, "[q#1] k ") {
		t.Errorf("%q, not %q", text, want)
	}
	if got := h.good("pull", args{"subscription": "s"}); got != "nothing new" {
		t.Error(got)
	}
	if got := h.good("ack", args{"ids": []int{1}, "note": "mine"}); got != `{"acked":[{"item":1,"subscription":"s","repeat":false}]}` {
		t.Error(got)
	}
	if got := h.good("ack", args{"ids": []int{1}}); !strings.Contains(got, `"repeat":true`) {
		t.Error(got)
	}
	if got := h.good("show", args{"id": 1}); !strings.Contains(got, `"payload":{"n":1},`) || !strings.Contains(got, `"acks":[{"subscription":"s","owner":"w",`) || !strings.Contains(got, `"note":"mine"`) {
		t.Error(got)
	}
	if got := h.good("list", args{}); got != `{"queues":[{"queue":"q","count":1}]}` {
		t.Error(got)
	}
	if got := h.good("list", args{"queue": "q", "key": "k", "text": "n"}); !strings.HasPrefix(got, `{"items":[{"id":1,`) {
		t.Error(got)
	}
	if got := h.good("list", args{"queue": "q", "unacked": true}); got != `{"items":[]}` {
		t.Error(got)
	}
	_, result := h.call("status", nil)
	var status statusOutput
	structured, err := json.Marshal(result.StructuredContent)
	h.must(err)
	h.must(json.Unmarshal(structured, &status))
	if len(status.Bindings) != 2 || status.Bindings[1].Subscriber != "w" || status.Bindings[1].Cursor != 1 {
		t.Errorf("%s", structured)
	}
}

// MCP-2: a server for one subscriber serves no other one; without one, each call
// says for whom it is.
func TestMCP2_WhoseMail(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", args{"name": "s", "queue": "q", "as": "w"})
	for _, name := range []string{"pull", "ack", "nack", "subscribe"} {
		arguments := args{"as": "other"}
		if strings.HasSuffix(name, "ack") {
			arguments["ids"] = []int{1}
		}
		if name == "subscribe" {
			arguments["name"] = "s"
		}
		h.bad(name, arguments, "serves the subscriber w only", `"other"`, "leave as out")
	}
	open := newHouse(t, "").connect()
	open.bad("pull", args{}, "as is missing", "give a string (the subscriber")
	open.bad("pull", args{"as": ""}, "as is missing")
	open.bad("pull", args{"as": "a b"}, "a b")
	open.good("subscribe", args{"name": "s", "queue": "q", "as": "v"})
	open.good("publish", args{"queue": "q", "payload": "x"})
	if got := open.good("pull", args{"as": "v"}); !strings.Contains(got, "subscriber=v delivered=1") {
		t.Error(got)
	}
}

// MCP-5: what the use case refuses is an error of the tool, with the remedy; what is
// no call at all is an error of the protocol.
func TestMCP5_Errors(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.bad("pull", args{"subscription": "s"}, `"s"`, "subscribe")
	h.bad("pull", args{"max_bytes": 5}, "max_bytes 5 is too small", "400 or more")
	h.bad("show", args{"id": 7}, "there is no item 7")
	h.bad("show", args{"id": "7"}, `id "7" is a string`, "give an integer (")
	h.bad("show", args{"id": 7, "colour": 1}, `no argument "colour"`, "leave it out; the tool takes id")
	h.bad("publish", args{"queue": "q"}, "payload is missing", "give any value (")
	h.bad("publish", args{"queue": "a\nb", "payload": 1}, `a\nb`, "control")
	h.bad("list", args{"limit": 3}, "queue is missing")
	h.bad("list", args{"queue": "q", "limit": 201}, "limit 201 is out of range")
	h.bad("list", args{"queue": "q", "subscription": "s"}, "add unacked")
	h.bad("subscribe", args{"name": "s", "filter": "true"}, "queue is missing")
	h.bad("subscribe", args{"name": "s", "queue": "q", "every": "soon"}, `"soon" is not a duration`)
	h.bad("subscribe", args{"name": "s", "queue": "q", "share": "most"}, `"most" is unknown`, "all or one")
	h.bad("subscribe", args{"name": "s", "queue": "q", "filter": ".["}, `.[`)
	for _, params := range []*sdk.CallToolParams{{Name: "show", Arguments: []int{1}}, {Name: "fly"}} {
		_, err := h.session.CallTool(t.Context(), params)
		if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%+v gives %v", params, err)
		}
	}
}

// MCP-5: who holds an item is in the text of the error.
func TestMCP5_Claimed(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", args{"name": "s", "queue": "q", "share": "one", "consume": "on-ack", "lease": "1m"})
	h.good("publish", args{"queue": "q", "payload": 1})
	h.good("publish", args{"queue": "q", "payload": 2})
	_, err := h.inbox.Subscribe(t.Context(), app.Subscribe{Name: "s", Subscriber: "v"})
	h.must(err)
	_, err = h.inbox.Pull(t.Context(), app.Pull{Subscription: "s", Subscriber: "v"}, &bytes.Buffer{})
	h.must(err)
	h.bad("ack", args{"ids": []int{1, 2}}, "item 1 is leased by v until ", "leave it to v")
	_, err = h.inbox.Ack(t.Context(), app.Ack{Item: 2, Subscriber: "v"})
	h.must(err)
	h.bad("ack", args{"ids": []int{2}}, "item 2 is already acked by v at ", "leave it to v")
}

// MCP-3: an item that is given back is the next pull's, after the delay.
func TestMCP3_Nack(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", args{"name": "s", "queue": "q", "share": "one", "consume": "on-ack", "max_attempts": 2})
	h.good("publish", args{"queue": "q", "payload": 1})
	h.bad("nack", args{"ids": []int{1}}, "1")
	h.bad("nack", args{"ids": []int{}}, "ids [] is empty")
	for _, want := range []string{`"attempts":1,"until":`, `"attempts":2,"parked":true}`} {
		if got := h.good("pull", args{}); !strings.Contains(got, "[q#1] 1") {
			t.Error(got)
		}
		h.bad("nack", args{"ids": []int{1}, "delay": "soon"}, `"soon" is not a duration`)
		if got := h.good("nack", args{"ids": []int{1}}); !strings.HasPrefix(got, `{"nacked":[{"item":1,"subscription":"s",`+want) {
			t.Error(got)
		}
	}
	if got := h.good("pull", args{}); strings.Contains(got, "[q#1]") || !strings.Contains(got, "parked=1") {
		t.Error(got)
	}
}

// MCP-3: numbers keep their digits both ways, and hidden characters stay visible.
// What the host might not be able to read comes as text.
func TestMCP3_Digits(t *testing.T) {
	h := newHouse(t, "w").connect()
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for i, test := range []struct{ payload, shown string }{
		{`{"big":9007199254740993,"bidi":"a` + "\u202e" + `b"}`, `{"big":9007199254740993,"bidi":"a\u202eb"}`},
		{`{"huge":-1e400}`, `"{\"huge\":-1e400}"`},
		{deep, `"` + deep + `"`},
		{deep[10:130], deep[10:130]},
		{`"1e400 [[["`, `"1e400 [[["`},
	} {
		h.good("publish", args{"queue": "q", "payload": json.RawMessage(test.payload)})
		item, err := h.inbox.Item(t.Context(), int64(i+1))
		if err != nil || string(item.Payload) != test.payload {
			t.Errorf("%s is stored as %s, %v", test.payload, item.Payload, err)
		}
		if got := h.good("show", args{"id": i + 1}); !strings.Contains(got, `"payload":`+test.shown+`,`) {
			t.Errorf("%s is shown as %s", test.payload, got)
		}
	}
}

// MCP-3: what has nothing in it is an empty list, and not the absence of one.
func TestMCP3_EmptyList(t *testing.T) {
	h := newHouse(t, "w").connect()
	if got := h.good("list", args{}); got != `{"queues":[]}` {
		t.Error(got)
	}
	if got := h.good("list", args{"queue": "unknown"}); got != `{"items":[]}` {
		t.Error(got)
	}
}

// MCP-3: a list is bounded, and says what it left out.
func TestMCP3_LongList(t *testing.T) {
	h := newHouse(t, "w").connect()
	for range 3 {
		_, err := h.inbox.Publish(t.Context(), app.Message{Queue: "q", Payload: []byte(`"` + strings.Repeat("x", listBytes/2) + `"`)})
		h.must(err)
	}
	got := h.good("list", args{"queue": "q"})
	if !strings.HasPrefix(got, `{"items":[{"id":3,`) || !strings.HasSuffix(got, `"left_out":2}`) {
		t.Errorf("%.60s … %s", got, got[len(got)-30:])
	}
}

// MCP-3: the rules of the tool are those of the command.
func TestMCP3_Rules(t *testing.T) {
	got, err := subscribeInput{
		Queue: "q", Filter: "f", Template: "t", Select: "latest", Limit: 2, Consume: "on-ack", Share: "one",
		Every: "2m", Lease: "3m", MaxAttempts: 4, Start: "new",
	}.rules()
	want := inbox.Rules{
		Queue: "q", Filter: "f", Template: "t", Select: inbox.Latest, Limit: 2, Consume: inbox.OnAck, Share: inbox.One,
		Every: 120, Lease: 180, MaxAttempts: 4, Start: inbox.StartNew,
	}
	if got != nil && *got != want || err != nil && !strings.Contains(err.Error(), "latest") {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = subscribeInput{Queue: "q"}.rules()
	if err != nil || *got != inbox.DefaultRules("q") {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = (subscribeInput{Name: "n", As: "w"}).rules(); got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
