package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	deliverexec "github.com/tundish-go/tundish/adapters/deliver_exec"
	deliverhttp "github.com/tundish-go/tundish/adapters/deliver_http"
	deliverinbox "github.com/tundish-go/tundish/adapters/deliver_inbox"
	deliveropencode "github.com/tundish-go/tundish/adapters/deliver_opencode"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/domain"
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
	lookup  func(name string) (value string, found bool) // in the environment
	publish cli.Publish
}

// Check implements [cli.Receivers].
func (r receivers) Check(form, rest string) (warning string, err error) {
	switch form {
	case cli.FormExec:
		program, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Sprintf("the program %q cannot be run now: %v", domain.Shorten(program), errors.Unwrap(err)), nil
		}
	case cli.FormHTTP:
		_, err = r.token()
	case cli.FormOpencode:
		_, _, err = r.login()
	}
	return "", err
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
	if token, found := r.lookup(varToken); found {
		if token = strings.TrimSpace(token); token == "" {
			return "", refused("put the token into it, or unset it", varToken+" is set and empty", nil)
		}
		return token, nil
	}
	path, found := r.lookup(varTokenFile)
	switch {
	case !found:
		return "", nil
	case path == "":
		return "", refused("name the token's file in it, or unset it", varTokenFile+" is set and empty", nil)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", refused("", "the file of "+varTokenFile+" cannot be read", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxTokenBytes+1))
	switch {
	case err != nil:
		return "", refused("", "the file of "+varTokenFile+" cannot be read", err)
	case len(text) > maxTokenBytes:
		return "", refused("", fmt.Sprintf("the file of %s is longer than %d bytes", varTokenFile, maxTokenBytes), nil)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", refused("write the token into it, or unset the variable", "the file of "+varTokenFile+" is empty", nil)
	}
	return token, nil
}

func refused(remedy, text string, err error) error {
	return &domain.Error{Code: domain.Invalid, Text: text, Err: err, Remedy: remedy}
}

// login is the user and the password of an opencode server.
func (r receivers) login() (user, password string, err error) {
	if password, _ = r.lookup(varPassword); password == "" {
		password, err = r.token()
	}
	user, _ = r.lookup(varUser)
	return user, password, err
}
