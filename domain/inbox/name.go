package inbox

import (
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// Bounds of names (OBJ-5).
const (
	MaxNameBytes  = 64                   // of subscriptions and subscribers
	MaxQueueBytes = domain.MaxLabelBytes // of queues and keys
)

// CheckSubscription reports whether name can name a subscription (OBJ-5).
func CheckSubscription(name string) error { return checkName("subscription", name) }

// CheckSubscriber reports whether name can name a subscriber (OBJ-5).
func CheckSubscriber(name string) error { return checkName("subscriber", name) }

func checkName(what, name string) error {
	const remedy = "use 1 to 64 of A-Z a-z 0-9 . _ : -"
	switch {
	case name == "":
		return invalid(remedy, "the %s name is empty", what)
	case len(name) > MaxNameBytes:
		return invalid(remedy, "the %s name %q is %d bytes long", what, domain.Shorten(name), len(name))
	}
	for _, r := range name {
		if !nameRune(r) {
			return invalid(remedy, "the %s name %q contains %q", what, name, r)
		}
	}
	return nil
}

func nameRune(r rune) bool {
	return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._:-", r)
}

// CheckQueue reports whether name can name a queue (OBJ-5).
func CheckQueue(name string) error {
	if strings.Contains(name, "]") {
		return invalid("leave it out, since tags end with it", "the queue name %q contains ]", domain.Shorten(name))
	}
	return domain.CheckLabel("queue name", name)
}

// CheckKey reports whether key can label an item (OBJ-5). A key may contain ].
func CheckKey(key string) error { return domain.CheckLabel("key", key) }

func invalid(remedy, format string, args ...any) error {
	return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}
