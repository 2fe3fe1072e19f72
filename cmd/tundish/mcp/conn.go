package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
)

// maxLine bounds a message from the host: the largest payload, and room for what
// is around it.
const maxLine = app.MaxPayloadBytes + 1<<20

// glance is how long a write that waits for the host's reading goes on before it
// looks whether the server shall end.
const glance = 250 * time.Millisecond

// stoppedError is the error of a write that the end of the server cut.
type stoppedError struct{}

func (stoppedError) Error() string { return "the server has ended" }

// conn is a connection over a line of JSON for each message. Unlike the SDK's own it
// tells a pull when its answer has been written, and can be stopped while it reads
// or writes.
type conn struct {
	lines  *lineReader
	stopIn func()
	out    cli.Output
	note   func(format string, args ...any)

	writer chan struct{} // holds the token of the one who writes

	mu   sync.Mutex
	open map[jsonrpc.ID]*call // requests whose answer is not begun
	left int                  // requests whose answer is not written
	last chan struct{}        // after of the last call of a tool
	rest chan struct{}        // closed when none is left, once the input has ended

	once    sync.Once
	stopped chan struct{}
}

func newConn(in *input, out cli.Output, note func(string, ...any)) *conn {
	closed := make(chan struct{})
	close(closed)
	return &conn{
		lines: newLineReader(in, maxLine), stopIn: in.stop, out: out, note: note,
		writer: make(chan struct{}, 1), open: map[jsonrpc.ID]*call{}, last: closed, stopped: make(chan struct{}),
	}
}

// transport hands out the one connection there is.
type transport struct{ conn *conn }

// Connect implements [sdk.Transport].
func (t transport) Connect(context.Context) (sdk.Connection, error) { return t.conn, nil }

// SessionID implements [sdk.Connection]: there is one session.
func (*conn) SessionID() string { return "" }

// Close implements [sdk.Connection]. It may be called again, and at any time.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.stopped)
		c.stopIn()
	})
	return nil
}

// Read implements [sdk.Connection]. What is no message is answered and left out. At
// the end of the input it waits until what was asked before is answered.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, whole, err := c.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			c.settle()
			return nil, io.EOF
		case err != nil:
			return nil, err
		case !whole:
			err = c.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message holds at most %d bytes", maxLine))
		case len(bytes.TrimSpace(line)) == 0:
			continue
		default:
			message, decoded := jsonrpc.DecodeMessage(line)
			switch {
			case decoded != nil:
				err = c.refuse(line, jsonrpc.CodeParseError, "the line is not one JSON-RPC message")
			case !c.expect(message):
				err = c.refuse(nil, jsonrpc.CodeInvalidRequest, "the id of the request is in use")
			default:
				return message, nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// refuse answers what is no message, under its id as far as it has one.
func (c *conn) refuse(line []byte, code int64, text string) error {
	var of struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(line, &of) // which may be no JSON at all
	switch of.ID.(type) {
	case string, float64:
	default:
		of.ID = nil
	}
	answer := `{"jsonrpc":"2.0","id":` + compact(of.ID) + `,"error":` + compact(&jsonrpc.Error{Code: code, Message: text}) + "}\n"
	return c.put([]byte(answer))
}

// expect remembers a call, and puts it where its handler finds it. It refuses one
// under the id of another that is not answered: their answers could not be told apart.
func (c *conn) expect(message jsonrpc.Message) bool {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() || request.Method == "subscriptions/listen" { // which lasts until the end
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[request.ID] != nil {
		return false
	}
	made := &call{before: c.last, after: make(chan struct{})}
	if request.Method == methodCall {
		c.last = made.after
	}
	c.open[request.ID] = made
	c.left++
	made.attach(request)
	return true
}

// settle waits until all calls are answered, or the connection is closed.
func (c *conn) settle() {
	c.mu.Lock()
	rest := make(chan struct{})
	if c.left == 0 {
		close(rest)
	} else {
		c.rest = rest
	}
	c.mu.Unlock()
	select {
	case <-rest:
	case <-c.stopped:
	}
}

// Write implements [sdk.Connection]. It returns when the message is written and, if
// that is the answer of a pull with something to say, the pull has ended too: what
// the host asks next sees what was delivered.
func (c *conn) Write(_ context.Context, message jsonrpc.Message) error {
	frame, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	frame = append(frame, '\n')
	answer, ok := message.(*jsonrpc.Response)
	if !ok {
		return c.put(frame)
	}
	of := c.begin(answer.ID)
	if of == nil {
		return c.put(frame)
	}
	defer c.answered(of)
	if d := of.held(); d != nil {
		return c.deliver(answer.ID, d, frame)
	}
	return c.put(frame)
}

// begin finds the call that is answered. Its id is free from now on.
func (c *conn) begin(id jsonrpc.ID) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.open[id]
	delete(c.open, id)
	return found
}

func (c *conn) answered(of *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(of.after)
	if c.left--; c.left == 0 && c.rest != nil {
		close(c.rest)
		c.rest = nil
	}
}

// deliver writes the frame of a pull while the use case waits for it (MCP-4).
func (c *conn) deliver(id jsonrpc.ID, d *delivery, frame []byte) error {
	select {
	case c.writer <- struct{}{}:
	case <-d.ended: // it could not wait for the one who writes
		return c.putRefusal(id, d)
	}
	if !d.turn(begun) {
		<-c.writer
		<-d.ended
		return c.putRefusal(id, d)
	}
	n, err := c.writeUntil(frame, d.deadline())
	<-c.writer
	d.written <- err
	<-d.ended
	switch {
	case err != nil && n == 0 && errors.Is(err, os.ErrDeadlineExceeded):
		return c.putRefusal(id, d) // the host is slow, and not a byte is out
	case err != nil:
		return err
	case d.err != nil:
		c.note("a pull was answered, and will be again, since it could not be marked: %v", d.err)
	}
	return nil
}

// putRefusal answers a pull whose text must not be written any more.
func (c *conn) putRefusal(id jsonrpc.ID, d *delivery) error {
	frame, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Result: []byte(compact(failure(d.err)))})
	if err != nil {
		return err
	}
	return c.put(append(frame, '\n'))
}

// put writes a frame, however long the host lets it wait; once the connection is
// closed it does not wait any more.
func (c *conn) put(frame []byte) error {
	select {
	case c.writer <- struct{}{}:
		defer func() { <-c.writer }()
	case <-c.stopped:
		return stoppedError{}
	}
	for {
		n, err := c.writeUntil(frame, time.Now().Add(glance))
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		frame = frame[n:]
		select {
		case <-c.stopped:
			return stoppedError{}
		default:
		}
	}
}

// writeUntil writes for the one who holds the token.
func (c *conn) writeUntil(frame []byte, until time.Time) (int, error) {
	if err := c.out.SetWriteDeadline(until); err != nil {
		return 0, err
	}
	return c.out.Write(frame)
}
