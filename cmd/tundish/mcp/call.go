package mcp

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// call is a request that waits for its answer.
type call struct {
	before <-chan struct{} // closed when the call of a tool before this one is answered
	after  chan struct{}   // closed when this one is

	mu       sync.Mutex
	delivery *delivery // of a pull that has something to say
}

// hold gives the call the delivery that its answer carries.
func (c *call) hold(d *delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delivery = d
}

func (c *call) held() *delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.delivery
}

// methodCall is the method by which tools are called.
const methodCall = "tools/call"

const callKey = "call"

// attach puts the call where its handler finds it: what a connection may add to a
// request is meant for HTTP, and this is the part that can hold anything.
func (c *call) attach(to *jsonrpc.Request) {
	to.Extra = &sdk.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{callKey: c}}}
}

// callOf finds what attach put there. Every call that reaches a tool has it.
func callOf(request *sdk.CallToolRequest) *call {
	found, _ := request.Extra.TokenInfo.Extra[callKey].(*call)
	return found
}
