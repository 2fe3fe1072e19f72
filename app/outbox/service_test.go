package outbox

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestOUT15_LogNeverShowsAText of an entry, a model or a user, whatever happens to it.
func TestOUT15_LogNeverShowsAText(t *testing.T) {
	bubble(t, func(r *rig) {
		var out bytes.Buffer
		s := r.service(Options{Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		hooks := 0
		s.SetOnDelivered(func(_, _ string, _ Entry) {
			if hooks++; hooks == 1 {
				panic("boom")
			}
		})
		s.SetLedgerProbe(ledger(map[uint32]string{1: "error"}))
		_, err := s.Accept(r.Context(), "w", "s", "secret-user", "secret-id", "secret-text", []byte(`"secret-model"`))
		r.must(err)
		r.peer.stays(Ambiguous(errCut))
		stop := r.run(s)
		wait(time.Second)
		r.store.fail(opView, failure{times: 2})
		r.store.fail(opLane, failure{times: 2})
		wait(5 * time.Minute)
		stop()
		if text := out.String(); strings.Contains(text, "secret") || !strings.Contains(text, "msg=delivered") || r.left(s) != 0 {
			r.Errorf("%d are left, the log is\n%s", r.left(s), text)
		}
	})
}
