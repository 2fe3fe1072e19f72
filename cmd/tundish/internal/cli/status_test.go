package cli

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// CMD-1, PULL-10, STO-6: the line of status, with rules that cannot be used and
// with a queue name of a taken-over database.
func TestCMD1_StatusLine(t *testing.T) {
	base := app.BindingStatus{
		Subscription: "s", Subscriber: "a", Queue: "q", Cursor: 1, Unread: 2, NextAt: 3,
		Counts: inbox.Counts{Dropped: 4, Errors: 5, Parked: 6},
	}
	failed, broken, wild := base, base, base
	failed.LastError = "a\t\"b\"\u202e <c>"
	broken.Broken, broken.LastError = "newer rules", "old"
	wild.Queue = "a\tb\nc"
	for _, test := range []struct {
		status     app.BindingStatus
		text, json string
	}{
		{base, "s\ta\tqueue=q\tcursor=1\tunread=2\tnext_at=3\tdropped=4\terrors=5\tparked=6\tlast_error=", `{"subscription":"s","subscriber":"a","queue":"q","cursor":1,"unread":2,"next_at":3,"dropped":4,"errors":5,"parked":6}`},
		{failed, "s\ta\tqueue=q\tcursor=1\tunread=2\tnext_at=3\tdropped=4\terrors=5\tparked=6\tlast_error=" + `"a\t\"b\"\u202e <c>"`, ""},
		{broken, "s\ta\tqueue=q\tcursor=1\tunread=2\tnext_at=3\tdropped=4\terrors=5\tparked=6\tlast_error=" + `"newer rules"`, `{"subscription":"s","subscriber":"a","queue":"q","cursor":1,"unread":2,"next_at":3,"dropped":4,"errors":5,"parked":6,"last_error":"old","broken":"newer rules"}`},
		{wild, "s\ta\t" + `queue=a\u0009b\u000ac` + "\tcursor=1\tunread=2\tnext_at=3\tdropped=4\terrors=5\tparked=6\tlast_error=", ""},
	} {
		for _, asJSON := range []bool{false, true} {
			want := test.text
			if asJSON {
				want = test.json
			}
			if want == "" {
				continue
			}
			var out bytes.Buffer
			s := &session{text: bufio.NewWriter(&out)}
			s.printStatus(test.status, asJSON)
			if err := s.flush(); err != nil || out.String() != want+"\n" {
				t.Errorf("got  %s\nwant %s (%v)", out.String(), want, err)
			}
		}
	}
}
