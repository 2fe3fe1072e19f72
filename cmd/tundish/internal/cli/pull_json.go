package cli

import (
	"errors"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// pullStatusJSON is a status line, pullItemJSON an item behind it.
type pullStatusJSON struct {
	Subscription string `json:"subscription"`
	Subscriber   string `json:"subscriber"`
	Queue        string `json:"queue"`
	Delivered    int64  `json:"delivered"`
	More         bool   `json:"more"`
	Unacked      int64  `json:"unacked"`
	Parked       int64  `json:"parked"`
	Errors       int64  `json:"errors"`
	Dropped      int64  `json:"dropped"`
	Lease        int64  `json:"lease"` // seconds
}

type pullItemJSON struct {
	Item         int64  `json:"item"`
	Queue        string `json:"queue"`
	Subscription string `json:"subscription"`
	Text         string `json:"text"`
}

// pullForm spells a plan as JSON, one object a line, in the order of its text
// (VIEW-2).
func (s *session) pullForm(plan inbox.Plan) (out []byte, err error) {
	for _, b := range plan.Batches {
		if !b.Printed {
			continue
		}
		st, queue := b.Status, b.Subscription.Rules.Queue
		values := []any{pullStatusJSON{
			st.Subscription, st.Subscriber, queue, st.Delivered, st.More, st.Unacked,
			st.Counts.Parked, st.Counts.Errors, st.Counts.Dropped, st.Lease,
		}}
		for i, text := range b.Texts {
			values = append(values, pullItemJSON{b.Items[i], queue, st.Subscription, text})
		}
		for _, value := range values {
			line, err := s.jsonLines([]byte(jsonText(value)))
			if err != nil {
				return nil, &domain.Error{
					Code: domain.Output, Text: "the output could not be made", Err: errors.Unwrap(err), Remedy: "nothing was marked as delivered",
				}
			}
			out = append(out, line...)
		}
	}
	return out, nil
}
