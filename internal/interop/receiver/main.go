//go:build unix

// Command receiver is the other end of outbox deliveries in the tests of the
// package above: it stores what it gets, never looks whether it has it already,
// and syncs its log before it does anything else.
//
// "receiver deliver" does what the next line of the file plan says, and just stores
// when there is none. "receiver verify" looks into the log. "receiver ledger"
// prints what the file ledger-ATTEMPT holds. All files are in RECEIVER_DIR.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fail(errors.New("receiver needs a role"))
	}
	r := receiver{dir: os.Getenv("RECEIVER_DIR")}
	var err error
	switch os.Args[1] {
	case "deliver":
		err = r.deliver()
	case "verify":
		err = r.verify()
	case "ledger":
		err = r.ledger()
	case "later": // a process that stores once a flag is there
		r.id, r.text = os.Args[3], os.Args[4]
		if err = r.wait(os.Args[2]); err == nil {
			err = r.store()
		}
	default:
		err = fmt.Errorf("no role %q", os.Args[1])
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "receiver:", err)
	os.Exit(1)
}

// receiver is one call.
type receiver struct {
	dir      string
	id, text string
}

func (r *receiver) file(name string) string { return filepath.Join(r.dir, name) }

// deliver does the steps of this call.
func (r *receiver) deliver() error {
	call := r.call()
	steps, err := r.plan(call)
	if err != nil {
		return err
	}
	for _, step := range steps {
		word, arg, _ := strings.Cut(step, ":")
		if err := r.do(word, arg); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	return nil
}

// call takes the number of this call, from 0.
func (r *receiver) call() int {
	for n := 0; ; n++ {
		f, err := os.OpenFile(r.file("call-"+strconv.Itoa(n)), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_ = f.Close()
			return n
		}
	}
}

func (r *receiver) plan(call int) ([]string, error) {
	text, err := os.ReadFile(r.file("plan"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if call >= len(lines) || lines[call] == "" {
		return []string{"read", "store"}, nil
	}
	return strings.Fields(lines[call]), nil
}

func (r *receiver) do(word, arg string) error {
	switch word {
	case "read":
		var entry struct{ ID, Text string }
		err := json.NewDecoder(os.Stdin).Decode(&entry)
		r.id, r.text = entry.ID, entry.Text
		return err
	case "store":
		return r.store()
	case "touch":
		return os.WriteFile(r.file(arg), nil, 0o600)
	case "wait":
		return r.wait(arg)
	case "kill":
		return syscall.Kill(os.Getppid(), syscall.SIGKILL)
	case "stop":
		return syscall.Kill(os.Getppid(), syscall.SIGSTOP)
	case "survive": // the death of the worker
		return survive()
	case "later": // leave it to a process of its own, in another group
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.CommandContext(context.Background(), self, "later", arg, r.id, r.text)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	case "exit":
		code, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		os.Exit(code)
	}
	return errors.New("no such step")
}

// store appends the entry to the log and syncs it.
func (r *receiver) store() error {
	f, err := os.OpenFile(r.file("log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "%s %s\n", r.id, r.text); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// wait waits for a file, which another process makes.
func (r *receiver) wait(name string) error {
	for range time.Tick(5 * time.Millisecond) {
		if _, err := os.Stat(r.file(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// verify tells whether the log holds the entry.
func (r *receiver) verify() error {
	text, err := os.ReadFile(r.file("log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	verdict := "absent"
	if strings.Contains("\n"+string(text), "\n"+os.Getenv("TUNDISH_ENTRY")+" ") {
		verdict = "delivered"
	}
	if err := os.WriteFile(r.file("verified"), []byte(verdict), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, verdict)
	return err
}

// ledger prints the state of an attempt.
func (r *receiver) ledger() error {
	text, err := os.ReadFile(r.file("ledger-" + os.Getenv("TUNDISH_ATTEMPT")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if strings.TrimSpace(string(text)) == "fail" {
		return errors.New("told to fail")
	}
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	return err
}
