package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// MCP-3, TIME-1: an item that waits for its time has a number, and a repeated publish
// finds it.
func TestMCP3_PublishLater(t *testing.T) {
	h := newHouse(t, "w").connect()
	before := time.Now().Unix()
	for _, test := range []struct{ arguments, want string }{
		{`{"queue":"q","payload":1,"delay":"2h","expires":"1d","key":"k","dedupe":"d"}`, `{"scheduled":1,"duplicate":false}`},
		{`{"queue":"q","payload":1,"dedupe":"d"}`, `{"scheduled":1,"duplicate":true}`},
		{`{"queue":"q","payload":2,"at":"@9000000000","expires":"@9000000001"}`, `{"scheduled":2,"duplicate":false}`},
		{`{"queue":"q","payload":3,"at":"2099-07-29T09:00:00+02:00"}`, `{"scheduled":3,"duplicate":false}`},
		{`{"queue":"q","payload":4,"at":"@1"}`, `{"scheduled":4,"duplicate":false,"notes":["the time of at has passed: it becomes an item with the next publish to q, or the next pull from it"]}`},
		{`{"queue":"q","payload":5,"expires":"2099-07-29T09:00:00Z"}`, `{"id":2,"duplicate":false}`}, // behind the one whose time has passed
		{`{"queue":"q","payload":6}`, `{"id":3,"duplicate":false}`},
	} {
		if got := h.good("publish", json.RawMessage(test.arguments)); got != test.want {
			t.Errorf("%s gives %s", test.arguments, got)
		}
	}
	after := time.Now().Unix()
	var waits []inbox.Scheduled
	h.must(h.inbox.ListScheduled(t.Context(), app.Scheduled{Limit: -1}, func(s inbox.Scheduled) error {
		waits = append(waits, s)
		return nil
	}))
	if len(waits) != 3 {
		t.Fatalf("%+v", waits)
	}
	if w := waits[0]; w.At < before+7200 || w.At > after+7200 || w.ExpiresAt != w.At+86400-7200 || *w.Key != "k" || string(w.Payload) != "1" {
		t.Errorf("%+v", w)
	}
	if w := waits[1]; w.At != 4088991600 || w.ExpiresAt != 0 {
		t.Errorf("%+v", w)
	}
	if w := waits[2]; w.At != 9000000000 || w.ExpiresAt != 9000000001 {
		t.Errorf("%+v", w)
	}
	if got := h.good("show", args{"id": 2}); !strings.Contains(got, `"expires_at":4088998800`) {
		t.Error(got)
	}
}

// MCP-5, TIME-6: times that the command refuses are refused, and nothing is stored.
func TestMCP5_Times(t *testing.T) {
	h := newHouse(t, "w").connect()
	for _, test := range []struct{ times, want, remedy string }{
		{`"delay":"0"`, `delay: the duration "0" is zero`, "such as 90s"},
		{`"delay":"-5"`, `delay: "-5" is not a duration`, "such as 90s"},
		{`"delay":"36501d"`, `delay: the duration "36501d" is longer than 36500 days`, "up to 36500d"},
		{`"delay":90`, "delay 90 is a number", "such as 90s"},
		{`"at":"noon"`, `at: "noon" is not a time`, "@SECONDS"},
		{`"at":"1000"`, `at: "1000" is not a time`, "@SECONDS"},
		{`"at":"@0"`, `at: the time "@0" is too far away`, "@SECONDS"},
		{`"at":"10000-01-01T00:00:00Z"`, "is not a time", "@SECONDS"},
		{`"at":4088991600`, "at 4088991600 is a number", "@ and Unix seconds"},
		{`"at":"@9000000000","delay":"1m"`, "delay and at were both given", "give one of them"},
		{`"expires":"soon"`, `expires: "soon" is not a time`, "a duration such as 1d"},
		{`"expires":"0s"`, `expires: the duration "0s" is zero`, "such as 90s"},
		{`"expires":"@1"`, "an item that expires at @1 is over at once", "name a later time"},
		{`"expires":"1h","delay":"2h"`, "the message is released at @", "let it expire after its release"},
	} {
		h.bad("publish", json.RawMessage(`{"queue":"q","payload":1,`+test.times+`}`), test.want, test.remedy)
	}
	h.must(h.inbox.ListScheduled(t.Context(), app.Scheduled{Limit: -1}, func(s inbox.Scheduled) error {
		t.Errorf("%+v waits", s)
		return nil
	}))
}
