package deliverhttp

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// target is where entries go.
type target struct {
	address  string
	hostname string // what a certificate has to name
	shown    string // for errors: without the query, in which some put secrets
}

func parse(address string) (target, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil && strings.Contains(address, "@"):
		// The cause quotes the address, and that may hold a password.
		return target{}, invalid("write http://HOST/PATH or https://HOST/PATH", "the address, which is not shown since it may hold a password, is not a URL")
	case err != nil:
		return target{}, invalid("write http://HOST/PATH or https://HOST/PATH", "the address %q is not a URL", domain.Shorten(address))
	case u.User != nil:
		return target{}, invalid("give a token in TUNDISH_DELIVER_TOKEN or TUNDISH_DELIVER_TOKEN_FILE",
			"the address %q, shown without them, holds a user or a password", bare(u))
	case u.Scheme != "http" && u.Scheme != "https":
		return target{}, invalid("begin with http:// or https://", "the address %q is of another kind", domain.Shorten(bare(u)))
	case u.Hostname() == "":
		return target{}, invalid("write http://HOST/PATH or https://HOST/PATH", "the address %q names no host", domain.Shorten(bare(u)))
	case u.Fragment != "":
		return target{}, invalid("leave out what follows #", "the address %q has a fragment, which no server gets to see", domain.Shorten(bare(u)))
	}
	return target{address: u.String(), hostname: u.Hostname(), shown: bare(u)}, nil
}

// bare is the address without what may be secret.
func bare(u *url.URL) string {
	if u.Opaque != "" {
		return u.Scheme + ":…"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func invalid(remedy, format string, args ...any) error {
	return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}
