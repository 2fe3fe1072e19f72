package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// MCP-5: the error about an argument has the argument, the value, what is wrong with
// it and what to give.
func TestMCP5_Arguments(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", args{"name": "s", "queue": "q"})
	const ids, tag = "give an array of integers (the items' ids: the numbers behind # in their tags)", "the number behind # in the item's tag"
	for _, test := range []struct{ tool, arguments, wrong, remedy string }{
		{"ack", `{}`, "ids is missing", ids},
		{"ack", `{"ids":null}`, "ids is missing", ids},
		{"ack", `{"ids":[]}`, "ids [] is empty", tag},
		{"ack", `{"ids":17}`, "ids 17 is a number", ids},
		{"ack", `{"ids":"[ci#17]"}`, `ids "[ci#17]" is a string`, ids},
		{"ack", `{"ids":["[ci#17]"]}`, `holds "[ci#17]", which is a string`, ids},
		{"ack", `{"ids":[1,null]}`, "ids [1,null] holds null, which is no value", ids},
		{"ack", `{"ids":[[1]]}`, "holds [1], which is an array", ids},
		{"ack", `{"ids":[1.5]}`, "holds 1.5, which is not an integer", ids},
		{"ack", `{"ids":[1e400]}`, "holds 1e400, which is out of range", ids},
		{"ack", `{"ids":[1,0]}`, "0 is not an item's id", tag},
		{"ack", `{"ids":[1],"note":5}`, "note 5 is a number", "give a string ("},
		{"ack", `{"ids":[1],"through":5}`, `no argument "through"`, "the tool takes ids, subscription, as, note"},
		{"nack", `{"ids":[]}`, "ids [] is empty", tag},
		{"nack", `{"ids":[-1]}`, "-1 is not an item's id", tag},
		{"nack", `{"ids":[1],"delay":90}`, "delay 90 is a number", "such as 90s"},
		{"nack", `{"ids":[1],"delay":"0"}`, `delay: the duration "0" is zero`, "such as 90s"},
		{"show", `{"id":"[ci#17]"}`, `id "[ci#17]" is a string`, "the number behind #"},
		{"show", `{"id":null}`, "id is missing", "give an integer ("},
		{"show", `{"id":0}`, "0 is not an item's id", tag},
		{"show", `{"id":99999999999999999999}`, "id 99999999999999999999 is out of range", "give an integer ("},
		{"show", `{"ID":1}`, `no argument "ID"`, "the tool takes id"},
		{"show", `{"id":true}`, "id true is a boolean", "give an integer ("},
		{"status", `{"x":1}`, `no argument "x"`, "the tool takes no arguments"},
		{"list", `{"queue":"q","unacked":"true"}`, `unacked "true" is a string`, "give true or false ("},
		{"list", `{"queue":"q","limit":-1}`, "limit -1 is out of range", "use 1 to 200"},
		{"list", `{"queue":["q"]}`, `queue ["q"] is an array`, "give a string ("},
		{"pull", `{"max_bytes":-1}`, "max_bytes -1 is too small", "400 or more"},
		{"pull", `{"subscription":{}}`, "subscription {} is an object", "give a string ("},
		{"publish", `{"payload":1}`, "queue is missing", "give a string ("},
		{"publish", `{"queue":"","payload":1}`, "the queue name is empty", "at least one character"},
		{"publish", `{"queue":"q"}`, "payload is missing", "give any value ("},
		{"publish", `{"queue":"q","payload":1,"key":5}`, "key 5 is a number", "give a string ("},
		{"publish", `{"queue":"q","payload":1,"key":"a\nb"}`, `the key "a\nb" contains U+000A`, "leave control"},
		{"publish", `{"queue":"q","payload":1,"key":"\ud800"}`, `key "\ud800" holds half of a character`, "give a string ("},
		{"publish", `{"queue":"q","payload":1,"key":"` + strings.Repeat("k", 256) + `"}`, "is 256 bytes long", "shorten it to 255"},
		{"publish", `{"queue":"q","payload":"\ud800"}`, "half of a surrogate pair", ""},
		{"subscribe", `{"name":"","queue":"q"}`, "the subscription name is empty", "use 1 to 64"},
		{"subscribe", `{"name":"s","queue":"q","select":"latest"}`, "select latest needs a limit", "give limit too"},
		{"subscribe", `{"name":"s","queue":"q","limit":-1}`, "limit -1 is below 1", "use 1 or more"},
		{"subscribe", `{"name":"s","queue":"q","max_attempts":1.5}`, "max_attempts 1.5 is not an integer", "give an integer ("},
		{"subscribe", `{"name":"s","queue":"q","lease":"1w"}`, `lease: "1w" is not a duration`, "such as 90s"},
	} {
		h.bad(test.tool, json.RawMessage(test.arguments), test.wrong, test.remedy)
	}
	if found, err := h.inbox.Queues(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("refused calls left %v, %v", found, err)
	}
}

// MCP-5: an error does not repeat all of what was wrong.
func TestMCP5_ShortErrors(t *testing.T) {
	h := newHouse(t, "w").connect()
	long := strings.Repeat("é(", 5000)
	for tool, arguments := range map[string]args{
		"show": {"id": long}, "ack": {"ids": []string{long}}, "list": {long: 1}, "publish": {"queue": long, "payload": 1},
		"subscribe": {"name": "s", "queue": "q", "filter": long}, "nack": {"ids": []int{1}, "delay": long},
	} {
		text, result := h.call(tool, arguments)
		if !result.IsError || len(text) > 2100 {
			t.Errorf("%s: %d bytes, %.200s", tool, len(text), text)
		}
	}
	h.bad("subscribe", args{"name": "s", "queue": "q", "select": long}, `select "é(`, `…" is unknown`, "use since-last-read or latest")
}

// MCP-5: what is null or empty counts as left out, and an integer may be spelled in
// any way that JSON has.
func TestMCP5_LeftOut(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", json.RawMessage(`{"name":"s","queue":"q","as":null,"filter":null,"limit":null,"every":"","start":null,"max_attempts":4.0}`))
	for i, payload := range []string{`null`, `true`, `0`, `-1.50`, `"<\ufffd>"`, `[]`, `{"a":[null]}`} {
		given := fmt.Sprintf(`{"queue":"q","payload":%s,"key":null,"dedupe":"","delay":null,"at":"","expires":null}`, payload)
		if got := h.good("publish", json.RawMessage(given)); got != fmt.Sprintf(`{"id":%d,"duplicate":false}`, i+1) {
			t.Error(got)
		}
		item, err := h.inbox.Item(t.Context(), int64(i+1))
		if want := strings.ReplaceAll(payload, `\ufffd`, "\uFFFD"); err != nil || string(item.Payload) != want || item.Key != nil {
			t.Errorf("%s is stored as %+v, %v", payload, item, err)
		}
	}
	h.good("publish", json.RawMessage(`{"queue":"q","payload":8,"key":"] \ufffd 😀 \\ud800"}`))
	if item, err := h.inbox.Item(t.Context(), 8); err != nil || item.Key == nil || *item.Key != "] \uFFFD 😀 \\ud800" {
		t.Errorf("%+v, %v", item, err)
	}
	if got := h.good("pull", json.RawMessage(`{"subscription":null,"max_bytes":4e3}`)); !strings.Contains(got, "delivered=8") {
		t.Error(got)
	}
	if got := h.good("ack", json.RawMessage(`{"ids":[1.0,2e0,3,3],"note":null}`)); strings.Count(got, `"item":`) != 3 {
		t.Error(got)
	}
	for _, id := range []string{"1", "1.0", "1e0", "10e-1"} {
		if got := h.good("show", json.RawMessage(`{"id":`+id+`}`)); !strings.HasPrefix(got, `{"id":1,`) {
			t.Error(got)
		}
	}
	h.bad("show", args{"id": math.MaxInt64}, "there is no item 9223372036854775807;")
	h.good("list", json.RawMessage(`{"queue":null,"limit":null,"unacked":null}`))
}

// MCP-5: white space, and a name that is given twice, are as in any JSON.
func TestMCP5_Spelling(t *testing.T) {
	schema := inputSchema[ackInput](tool{}, "w")
	var input ackInput
	refused, err := decode(json.RawMessage("\n{ \"note\" : \"a\" ,\t\"ids\": [ 1.0 ,\n2 ] , \"note\": \"b\", \"as\" : null }\n"), schema, &input)
	if refused != nil || err != nil || input.Note != "b" || input.As != "" || !slices.Equal(input.IDs, []int64{1, 2}) {
		t.Errorf("%+v, %+v, %v", input, refused, err)
	}
}

// MCP-5: whose several subscriptions to a queue leave open which is meant is told to
// name one, by the argument's name.
func TestMCP5_WhichSubscription(t *testing.T) {
	h := newHouse(t, "w").connect()
	h.good("subscribe", args{"name": "s", "queue": "q"})
	h.good("subscribe", args{"name": "t", "queue": "q"})
	h.good("publish", args{"queue": "q", "payload": 1})
	h.bad("ack", args{"ids": []int{1}}, "several subscriptions", "s, t; choose one with subscription")
	h.good("ack", args{"ids": []int{1}, "subscription": "t"})
}

// MCP-1: the figures that the tools tell are those that hold.
func TestMCP1_Figures(t *testing.T) {
	h := newHouse(t, "w").connect()
	list, err := h.session.ListTools(t.Context(), nil)
	h.must(err)
	told := map[string]string{}
	for _, tool := range list.Tools {
		told[tool.Name] = compact(tool)
	}
	rules := inbox.DefaultRules("q")
	for _, test := range []struct{ tool, figure string }{
		{"publish", fmt.Sprintf("within %d hours", inbox.DedupeTTL/3600)},
		{"publish", fmt.Sprintf("at most %d MiB", app.MaxPayloadBytes>>20)},
		{"pull", fmt.Sprintf("%d or more", inbox.MinMaxBytes)},
		{"ack", fmt.Sprintf("at most %d KiB", inbox.MaxNoteBytes>>10)},
		{"list", fmt.Sprintf("1 to %d; %d if left out", mostItems, listItems)},
		{"list", fmt.Sprintf("nested more than %d deep", plainDepth)},
		{"show", fmt.Sprintf("nested more than %d deep", plainDepth)},
		{"subscribe", fmt.Sprintf("such as %dm (default)", rules.Lease/60)},
		{"subscribe", fmt.Sprintf("%d if left out", rules.MaxAttempts)},
	} {
		if !strings.Contains(told[test.tool], test.figure) {
			t.Errorf("%s does not tell %q: %s", test.tool, test.figure, told[test.tool])
		}
	}
}
