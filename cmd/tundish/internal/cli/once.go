package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// once is the value of a command's flag, which may be given one time unless it is
// a list: of two subscribers or queues, taking the last in silence would act on the
// wrong one. Global flags are not so strict, since whoever wraps tundish sets them
// in front and a caller behind the command.
type once struct {
	pflag.Value
	given bool
}

func givenOnce(flag *pflag.Flag) {
	if _, many := flag.Value.(pflag.SliceValue); !many {
		flag.Value = &once{Value: flag.Value}
	}
}

// Set takes the first value and refuses a second one.
func (o *once) Set(text string) error {
	if o.given {
		return errors.New("it was given before")
	}
	o.given = true
	return o.Value.Set(text)
}
