//go:build unix

package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return r, w
}

// PULL-12: a reader that does not read cannot hold a pull beyond its deadline.
func TestPULL12_FullPipe(t *testing.T) {
	_, w := pipe(t)
	o := &output{file: w}
	if err := o.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n, err := o.Write(make([]byte, 8<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n%chunk != 0 {
		t.Errorf("%d bytes written, error %v", n, err)
	}
}

func TestPULL12_WriteUntil(t *testing.T) {
	r, w := pipe(t)
	want := bytes.Repeat([]byte("tundish "), 200_000)
	var got []byte
	read := make(chan error)
	go func() {
		var err error
		got, err = io.ReadAll(r)
		read <- err
	}()
	o := &output{file: w, deadline: time.Now().Add(time.Minute)}
	if n, err := o.Write(want); n != len(want) || err != nil {
		t.Errorf("%d bytes written, error %v", n, err)
	}
	if err := errors.Join(w.Close(), <-read); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes arrived, error %v", len(got), len(want), err)
	}
}

func TestPULL12_BrokenOutputs(t *testing.T) {
	r, w := pipe(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*output{
		"with a deadline": {file: w, deadline: time.Now().Add(time.Minute)},
		"without":         {file: w},
	} {
		if n, err := o.Write([]byte("x")); n != 0 || !errors.Is(err, syscall.EPIPE) {
			t.Errorf("%s: %d bytes written, error %v", name, n, err)
		}
	}
	closed := &output{file: w, state: OutputClosed}
	if _, err := closed.Write([]byte("x")); !errors.Is(err, errClosed) {
		t.Errorf("a closed output gives %v", err)
	}
	late := &output{file: w, deadline: time.Now().Add(-time.Second)}
	if _, err := late.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a late write to a broken pipe gives %v", err)
	}
}

// PUB-3: a line that is not complete waits, and is whole when its end comes.
func TestPUB3_SlowLine(t *testing.T) {
	r, w := pipe(t)
	lines := &lineReader{file: r, most: 100}
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	late := func() time.Time { return time.Now().Add(5 * time.Millisecond) }
	if _, err := lines.next(late()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nothing written: %v", err)
	}
	write("first\nsec")
	if line, err := lines.next(late()); err != nil || string(line.text) != "first" || lines.number != 1 {
		t.Errorf("line %d is %q, %v", lines.number, line.text, err)
	}
	if _, err := lines.next(late()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("half a line: %v", err)
	}
	write("ond\n\nlast")
	for i, want := range []string{"second", ""} {
		if line, err := lines.next(late()); err != nil || string(line.text) != want || lines.number != int64(i+2) {
			t.Errorf("line %d is %q, %v; want %q", lines.number, line.text, err, want)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if line, err := lines.next(time.Time{}); err != nil || string(line.text) != "last" || line.size != 4 {
		t.Errorf("the last line is %q, %v", line.text, err)
	}
	for range 2 {
		if _, err := lines.next(late()); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
	}
}

func TestPUB3_LongLine(t *testing.T) {
	r, w := pipe(t)
	long := strings.Repeat("x", 300_000)
	wrote := make(chan error)
	go func() {
		_, err := io.WriteString(w, "short\n"+long+"\nexactly10!\n"+long)
		wrote <- errors.Join(err, w.Close())
	}()
	lines := &lineReader{file: r, most: 10}
	for _, want := range []lineText{{[]byte("short"), 5}, {nil, 300_000}, {[]byte("exactly10!"), 10}, {nil, 300_000}} {
		line, err := lines.next(time.Time{})
		if err != nil || line.size != want.size {
			t.Errorf("line %d has size %d, want %d (%v)", lines.number, line.size, want.size, err)
		}
		if want.text != nil && !bytes.Equal(line.text, want.text) {
			t.Errorf("line %d is %q, want %q", lines.number, line.text, want.text)
		}
	}
	if _, err := lines.next(time.Time{}); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}

func TestPUB3_UnreadableInput(t *testing.T) {
	r, _ := pipe(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	lines := &lineReader{file: r, most: 10}
	if _, err := lines.next(time.Time{}); err == nil || errors.Is(err, io.EOF) || exitCode(err) != 1 {
		t.Errorf("a closed input gives %v", err)
	}
}
