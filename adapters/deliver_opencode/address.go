package deliveropencode

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// address is where a server is.
type address struct {
	secure bool
	dial   string // host and port
	host   string // what requests and certificates call it
	prefix string // of all paths, escaped, without the slash at its end
}

const remedy = "write http://HOST:PORT or https://HOST"

func parse(text string) (address, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil: // the cause quotes the address, and that may hold a password
		return address{}, invalid(remedy, "the address of the opencode server is not a URL")
	case u.User != nil:
		return address{}, invalid("give them in the environment", "the address of the opencode server holds a user or a password")
	case u.Scheme != "http" && u.Scheme != "https":
		return address{}, invalid(remedy, "the address of the opencode server is of the kind %q", domain.Shorten(u.Scheme))
	case u.Hostname() == "":
		return address{}, invalid(remedy, "the address of the opencode server names no host")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return address{}, invalid("leave out what follows ? or #: a session has its own directory",
			"the address of the opencode server %q has a query or a fragment", domain.Shorten(u.Host))
	}
	a := address{secure: u.Scheme == "https", host: u.Host, prefix: strings.TrimRight(u.EscapedPath(), "/")}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[a.secure]
	}
	a.dial = net.JoinHostPort(u.Hostname(), port)
	return a, nil
}

// url is a request's. TLS, if any, is a matter of the connection.
func (a address) url(path string) string { return "http://" + a.host + a.prefix + path }

func sessionPath(session string) string { return "/session/" + url.PathEscape(session) }

func invalid(remedy, format string, args ...any) error {
	return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}
