package metamorphic

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/tundish-go/tundish/ports/storage"
)

// Request is what a worker reads: the path of a database to work on from now on,
// or an operation on it. An empty request closes the database.
type Request struct {
	Path      string     `json:",omitempty"`
	Operation *Operation `json:",omitempty"`
}

// Serve answers the requests in one line each, until they end.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open func(ctx context.Context, path string) (storage.Store, error)) error {
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	var site *Site
	for {
		var request Request
		err := requests.Decode(&request)
		if errors.Is(err, io.EOF) {
			return leave(site)
		}
		if err != nil {
			return err
		}
		var answer Answer
		if request.Operation != nil && site != nil {
			answer = site.Do(ctx, *request.Operation)
		} else if site, err = site.move(ctx, request.Path, open); err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

// move closes a site, if there is one, and makes another, if there is a path.
func (s *Site) move(ctx context.Context, path string, open func(ctx context.Context, path string) (storage.Store, error)) (*Site, error) {
	if err := leave(s); err != nil || path == "" {
		return nil, err
	}
	return Open(ctx, func(ctx context.Context) (storage.Store, error) { return open(ctx, path) })
}

// leave closes a site, if there is one.
func leave(site *Site) error {
	if site == nil {
		return nil
	}
	return site.Close()
}
