package outbox

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// OUT-13: the names and forms in JSON; stored tokens and places stay out.
func TestOUT13_EntryJSON(t *testing.T) {
	moment := time.Date(2026, 7, 1, 12, 0, 0, 120_987_654, time.FixedZone("east", 7200))
	full := Entry{
		ID: "ob_1", WorkspaceID: "w", SessionID: "s", ClientMessageID: "c", UserID: "u", Text: "hi", Model: []byte(`{"a":1}`), AcceptedAt: moment,
		Status: StatusParked, Reason: "flip", LastError: "refused", Unknown: true, Attempts: 1, AttemptNo: 3, FailedNo: 2, LastAttemptAt: moment,
		VerifyAttempts: 4, TransientFails: 5, NextAttemptAt: moment, PriorSince: moment, Deliverer: "http", PeerID: "p", ParkedFrom: StatusVerifying,
		ParkedError: "before", BlockedByInFlight: true, InFlightFor: time.Second, StaleLease: true, BlockedBy: "ob_0", SendToken: "secret", Version: 8, Seq: 9,
	}
	const when = `"2026-07-01T10:00:00.120Z"`
	tests := []struct {
		name  string
		entry Entry
		want  string
	}{
		{"full", full, `{"id":"ob_1","workspaceID":"w","sessionID":"s","clientMessageID":"c","userID":"u","text":"hi","model":{"a":1},` +
			`"acceptedAt":` + when + `,"status":"parked","reason":"flip","lastError":"refused","unknown":true,"attempts":1,"attemptNo":3,"failedNo":2,` +
			`"lastAttemptAt":` + when + `,"verifyAttempts":4,"transientFails":5,"nextAttemptAt":` + when + `,"priorSince":` + when + `,` +
			`"deliverer":"http","peerID":"p","parkedFrom":"verifying","parkedError":"before","blockedByInFlight":true,"inFlightFor":1000000000,` +
			`"staleLease":true,"blockedBy":"ob_0"}`},
		{"bare", Entry{AcceptedAt: time.Unix(0, 0)}, `{"id":"","workspaceID":"","sessionID":"","clientMessageID":"","userID":"","text":"",` +
			`"acceptedAt":"1970-01-01T00:00:00.000Z","status":"","attempts":0,"attemptNo":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, err := json.Marshal(tt.entry)
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// OUT-13: what was written can be read.
func TestOUT13_EntryJSONComesBack(t *testing.T) {
	for name, e := range everything() {
		e.SendToken, e.Version, e.Seq = "", 0, 0
		line, err := json.Marshal([]Entry{e})
		if err != nil {
			t.Fatal(err)
		}
		var got []Entry
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Entry{e}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// OUT-12: what makes a row senseless.
func TestOUT12_Check(t *testing.T) {
	for name, e := range everything() {
		if err := e.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := pending(func(e *Entry) { e.Model, e.Text = nil, "" }).Check(); err != nil {
		t.Errorf("without a model: %v", err)
	}
	if err := sending(failedNo(2)).Check(); err != nil {
		t.Errorf("failed at once: %v", err)
	}
	for want, bad := range map[string][]Entry{
		`unknown status "sent"`:       {pending(status("sent"))},
		`unknown status ""`:           {pending(status(""))},
		`unknown status "unreadable"`: {pending(status(StatusUnreadable))},
		"parked from unknown status":  {aside(pending(), from("")), aside(pending(), from(StatusParked))},
		"impossible counts": {
			pending(attempts(-1)), pending(passes(-1)), pending(transients(-1)), pending(failedNo(-1)), pending(failedNo(1)),
			pending(func(e *Entry) { e.AttemptNo = -1 }),
		},
		"the model is not JSON": {pending(func(e *Entry) { e.Model = []byte("{") })},
	} {
		for i, e := range bad {
			if err := e.Check(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d: %v", want, i, err)
			}
		}
	}
}

// OUT-13: what an entry is up to.
func TestOUT13_Stages(t *testing.T) {
	tests := []struct {
		entry          Entry
		stage          string
		sending, waits bool
	}{
		{pending(), StatusPending, false, true},
		{sending(), StatusDelivering, true, false},
		{waiting(), StatusDelivering, false, true},
		{verifying(), StatusVerifying, false, true},
		{sending(status(StatusVerifying)), StatusVerifying, true, false},
		{errored(), StatusError, false, false},
		{doubted(), StatusError, false, false},
		{aside(pending()), StatusPending, false, false},
		{aside(sending()), StatusDelivering, true, false},
		{aside(waiting()), StatusDelivering, false, false},
		{aside(verifying()), StatusVerifying, false, false},
		{pending(status(StatusUnreadable)), StatusUnreadable, false, false},
	}
	for i, tt := range tests {
		if e := tt.entry; e.Stage() != tt.stage || e.Sending() != tt.sending || e.Waits() != tt.waits {
			t.Errorf("%d: %s, sending %t, waits %t", i, e.Stage(), e.Sending(), e.Waits())
		}
	}
	if got := pending().Lane(); got != (Lane{"w", "s"}) {
		t.Errorf("lane %v", got)
	}
}

// OUT-13: a time comes when the clock says so, and at once when no delay is as long
// as it is away.
func TestOUT13_DueUnderClocksThatStep(t *testing.T) {
	c := DefaultConfig()
	for name, step := range map[string]struct {
		after time.Duration // from now to the due time
		want  bool
	}{
		"past": {-time.Hour, true}, "now": {0, true}, "a moment": {1, false}, "an hour": {time.Hour, false}, "more than any delay": {time.Hour + 1, true},
		"a clock a year behind": {365 * 24 * time.Hour, true}, "a clock a year ahead": {-365 * 24 * time.Hour, true},
	} {
		for _, e := range []Entry{pending(due(step.after)), verifying(due(step.after)), waiting(due(step.after))} {
			if got := c.Due(e, at()); got != step.want {
				t.Errorf("%s, %s: due is %t", name, e.Status, got)
			}
		}
		for _, e := range []Entry{sending(due(step.after)), errored(due(step.after)), aside(pending(due(step.after)))} {
			if c.Due(e, at()) {
				t.Errorf("%s: a %s entry is due", name, e.Status)
			}
		}
	}
	if !c.Due(pending(), at()) {
		t.Error("an entry without a time is due")
	}
}
