package metamorphic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// worker is a process that has one site open.
type worker struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	ask    *json.Encoder
	hear   *json.Decoder
	stderr bytes.Buffer
}

func start(path string) (*worker, error) {
	w := &worker{cmd: exec.Command(path)}
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.cmd.Stderr = &w.stderr
	w.stdin, w.ask, w.hear = stdin, json.NewEncoder(stdin), json.NewDecoder(stdout)
	return w, w.cmd.Start()
}

func (w *worker) request(r Request) (answer Answer, err error) {
	if err = w.ask.Encode(r); err == nil {
		err = w.hear.Decode(&answer)
	}
	if err != nil {
		w.stdin.Close()
		return answer, fmt.Errorf("the worker is gone: %w: %s", errors.Join(err, w.cmd.Wait()), w.stderr.String())
	}
	return answer, nil
}

// stop ends the worker, which closes its database.
func (w *worker) stop() error {
	w.stdin.Close()
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("the worker: %w: %s", err, w.stderr.String())
	}
	return nil
}

// crew is a site on a file of its own, on which one or more workers take turns.
type crew struct {
	name    string
	paths   []string // of the programs
	workers []*worker
}

// crews are all that can be made of the builds. They end with the test.
func crews(t *testing.T) []*crew {
	t.Helper()
	all := []*crew{{name: "wasm", paths: []string{builds["wasm"]}}}
	if cgo := builds["cgo"]; cgo != "" {
		all = append(all,
			&crew{name: "cgo", paths: []string{cgo}},
			&crew{name: "alternating", paths: []string{cgo, builds["wasm"]}})
	} else {
		all = append(all, &crew{name: "alternating", paths: []string{builds["wasm"], builds["wasm"]}})
	}
	t.Cleanup(func() {
		for _, c := range all {
			for _, w := range c.workers {
				if err := w.stop(); err != nil {
					t.Error(err)
				}
			}
		}
	})
	return all
}

// begin gives all workers a new database. Those that died are replaced.
func (c *crew) begin(dir string) error {
	for _, path := range c.paths[len(c.workers):] {
		w, err := start(path)
		if err != nil {
			return err
		}
		c.workers = append(c.workers, w)
	}
	for _, w := range c.workers {
		if _, err := w.request(Request{Path: filepath.Join(dir, c.name+".db")}); err != nil {
			return c.lost(err)
		}
	}
	return nil
}

// run runs a program. What it gets when a worker dies is the transcript until
// then, and why.
func (c *crew) run(dir string, program []step) ([]Answer, error) {
	if err := c.begin(dir); err != nil {
		return nil, err
	}
	answers := make([]Answer, 0, len(program))
	for _, s := range program {
		answer, err := c.workers[s.turn%len(c.workers)].request(Request{Operation: &s.Operation})
		if err != nil {
			return answers, c.lost(err)
		}
		answers = append(answers, answer)
	}
	for _, w := range c.workers {
		if _, err := w.request(Request{}); err != nil {
			return answers[:len(answers)-1], c.lost(err)
		}
	}
	return answers, nil
}

// lost gives up all workers after one of them has died.
func (c *crew) lost(err error) error {
	for _, w := range c.workers {
		if w.cmd.ProcessState == nil {
			_ = w.stop()
		}
	}
	c.workers = nil
	return err
}
