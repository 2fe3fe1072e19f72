package app

import "github.com/tundish-go/tundish/ports/storage"

// The stretch of ids whose claims are read at once: small at first, because most
// scans are short, then growing, because the items of one queue may lie far apart.
const (
	firstClaims = 1000
	mostClaims  = 64000
)

// claims tells which items have an ack or a lease in a subscription under share
// one. Ids are asked in ascending order, and are read a stretch at a time: there
// may be any number of claims ahead of the position.
type claims struct {
	through int64 // the last id of the stretch that was read
	size    int64 // of that stretch
	items   map[int64]bool
}

func (c *claims) hold(r storage.Reader, subscription string, id int64) (bool, error) {
	if c.size == 0 || id > c.through {
		c.size = min(max(firstClaims, 2*c.size), mostClaims)
		c.through = id + c.size - 1
		claimed, err := r.Claimed(subscription, id-1, c.through)
		if err != nil {
			return false, err
		}
		c.items = make(map[int64]bool, len(claimed))
		for _, item := range claimed {
			c.items[item] = true
		}
	}
	return c.items[id], nil
}
