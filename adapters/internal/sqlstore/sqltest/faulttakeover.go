package sqltest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tundish-go/tundish/app"
)

// takeOver is the first look at a database of the old program (STO-6).
func takeOver() step {
	return step{
		name: "take over", first: true,
		run: func(ctx context.Context, sc *scene) error {
			status, err := sc.inbox.Status(ctx)
			if err == nil && len(status) != 7 {
				err = fmt.Errorf("%d bindings", len(status))
			}
			return err
		},
		verify: func(sc *scene) { sc.verifyTakenOver() },
	}
}

// verifyTakenOver demands all that was there, and the old file beside it.
func (sc *scene) verifyTakenOver() {
	ctx := sc.Context()
	findings, err := sc.inbox.Check(ctx)
	sc.must("check", err)
	if len(findings) > 0 {
		sc.fault("check finds %q", findings)
	}
	var ids []int64
	for _, items := range sc.items(ctx) {
		for _, item := range items {
			ids = append(ids, item.ID)
		}
	}
	slices.Sort(ids)
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(ids, want) {
		sc.fault("items %v", ids)
	}
	done, err := sc.inbox.Publish(ctx, app.Message{Queue: "q", Payload: []byte("1")})
	sc.must("publish", err)
	if done.ID != 14 {
		sc.fault("the next id is %d", done.ID)
	}
	copies, err := filepath.Glob(filepath.Join(filepath.Dir(sc.path), "t.old-0.1.2*.db"))
	sc.must("copies", err)
	whole := 0
	for _, path := range copies {
		if content, err := os.ReadFile(path); err == nil && len(content) > 0 {
			if askRaw(sc.T, path, "SELECT COUNT(*) FROM items") == "10" {
				whole++
			}
		}
	}
	if whole == 0 {
		sc.fault("no copy of the old database in %s", strings.Join(copies, " "))
	}
}
