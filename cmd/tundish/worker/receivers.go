package worker

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	deliverexec "github.com/tundish-go/tundish/adapters/deliver_exec"
	deliverhttp "github.com/tundish-go/tundish/adapters/deliver_http"
	deliverinbox "github.com/tundish-go/tundish/adapters/deliver_inbox"
	deliveropencode "github.com/tundish-go/tundish/adapters/deliver_opencode"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/ports/delivery"
)

// The variables that hold the token, or name the file that does; and those of an
// opencode server, which that reads itself.
const (
	varToken     = "TUNDISH_DELIVER_TOKEN"
	varTokenFile = "TUNDISH_DELIVER_TOKEN_FILE"
	varUser      = "OPENCODE_SERVER_USERNAME"
	varPassword  = "OPENCODE_SERVER_PASSWORD"
)

// receivers makes what routes name.
type receivers struct {
	getenv  func(string) string
	publish cli.Publish
}

// Deliverer implements [cli.Receivers].
func (r receivers) Deliverer(form, rest string) (delivery.Deliverer, error) {
	switch form {
	case cli.FormExec:
		made, err := deliverexec.New(rest)
		if err != nil {
			return nil, err
		}
		return made, nil
	case cli.FormHTTP:
		made, err := deliverhttp.New(rest, deliverhttp.Options{Token: r.token})
		if err != nil {
			return nil, err
		}
		return made, nil
	case cli.FormOpencode:
		made, err := deliveropencode.New(rest, deliveropencode.Options{Login: r.login})
		if err != nil {
			return nil, err
		}
		return made, nil
	case cli.FormInbox:
		publish := func(ctx context.Context, m deliverinbox.Message) error {
			return r.publish(ctx, m.Queue, m.Key, m.Dedupe, m.Payload)
		}
		made, err := deliverinbox.New(rest, deliverinbox.PublisherFunc(publish))
		if err != nil {
			return nil, err
		}
		return made, nil
	}
	return nil, fmt.Errorf("nothing delivers by %q", form)
}

// Verifier implements [cli.Receivers].
func (r receivers) Verifier(form, rest, kind string) (delivery.Verifier, error) {
	switch form {
	case cli.FormExec:
		made, err := deliverexec.NewVerifier(kind, rest)
		if err != nil {
			return nil, err
		}
		return made, nil
	case cli.FormOpencode:
		made, err := deliveropencode.NewVerifier(rest, deliveropencode.Options{Login: r.login})
		if err != nil {
			return nil, err
		}
		return made, nil
	}
	return nil, fmt.Errorf("nothing verifies by %q", form)
}

// Ledger implements [cli.Receivers].
func (receivers) Ledger(rest string) (delivery.LedgerProbe, error) {
	return deliverexec.NewLedger(rest)
}

// maxTokenBytes bounds the file of the token.
const maxTokenBytes = 64 << 10

// token reads the token anew for each send, so that a renewed file counts.
func (r receivers) token() (string, error) {
	if token := r.getenv(varToken); token != "" {
		return strings.TrimSpace(token), nil
	}
	path := r.getenv(varTokenFile)
	if path == "" {
		return "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the file of %s cannot be read: %w", varTokenFile, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxTokenBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the file of %s cannot be read: %w", varTokenFile, err)
	case len(text) > maxTokenBytes:
		return "", fmt.Errorf("the file of %s is longer than %d bytes", varTokenFile, maxTokenBytes)
	}
	return strings.TrimSpace(string(text)), nil
}

// login is the user and the password of an opencode server.
func (r receivers) login() (user, password string, err error) {
	if password = r.getenv(varPassword); password == "" {
		password, err = r.token()
	}
	return r.getenv(varUser), password, err
}
