//go:build unix

// Command hooked embeds an outbox for the tests of the package above. It delivers
// one entry of one lane and does at its hooks what the environment says: HOOKED_AT
// names the hook, staged or delivered, and HOOKED_DO what it does to this process,
// kill or stop. Each run of the delivered hook is written to the file HOOKED_LOG.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	deliverexec "github.com/tundish-go/tundish/adapters/deliver_exec"
	"github.com/tundish-go/tundish/app/outbox"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: hooked DATABASE DELIVER VERIFY")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "hooked:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path, deliver, verify string) error {
	store, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer store.Close()
	to, err := deliverexec.New(deliver)
	if err != nil {
		return err
	}
	by, err := deliverexec.NewVerifier("", verify)
	if err != nil {
		return err
	}
	service, err := outbox.New(outbox.Options{
		Store: store, Routes: []outbox.Route{{Deliverer: to, Verifier: by}},
		Config: outbox.Config{
			LeaseTTL: 2 * time.Second, BookkeepingTimeout: time.Second, Tick: 20 * time.Millisecond,
			VerifyDelay: 20 * time.Millisecond, RetryBackoff: 20 * time.Millisecond,
		},
		OnStaged:    func(_, _ string, _ outbox.Entry) { act("staged") },
		OnDelivered: delivered,
	})
	if err != nil {
		return err
	}
	done, err := service.RunOnce(ctx, nil)
	_, printErr := fmt.Fprintln(os.Stdout, done.Sent, done.Delivered)
	return errors.Join(err, printErr)
}

// delivered notes the entry durably, and then does what it is told.
func delivered(_ context.Context, e outbox.Entry) error {
	f, err := os.OpenFile(os.Getenv("HOOKED_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, e.ID); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	act("delivered")
	return nil
}

// act sends this process the signal that it is told to get at a hook.
func act(hook string) {
	if os.Getenv("HOOKED_AT") != hook {
		return
	}
	signal := syscall.SIGKILL
	if os.Getenv("HOOKED_DO") == "stop" {
		signal = syscall.SIGSTOP
	}
	if err := syscall.Kill(os.Getpid(), signal); err != nil {
		fmt.Fprintln(os.Stderr, "hooked:", err)
	}
}
