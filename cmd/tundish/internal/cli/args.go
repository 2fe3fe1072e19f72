package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/domain"
)

// operands checks how many words follow a command. A name in brackets may be
// missing; what is missing or too many is named. --version, which every command
// takes, comes before that.
func (s *session) operands(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if set(cmd.Flags(), "version") {
			return errVersion
		}
		if len(args) > len(names) {
			return usage(cmd.CommandPath()+" --help shows what it takes", "unexpected argument %q", domain.Shorten(args[len(names)]))
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return missing(cmd, names[len(args)])
		}
		return nil
	}
}

func missing(cmd *cobra.Command, what string) error {
	return usage("usage: "+cmd.UseLine(), "%s is missing", what)
}

// number reads the whole number of a flag.
func number(flag, text string, least int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, usage("use a whole number from "+strconv.FormatInt(least, 10), "--%s %q is not a number that fits", flag, domain.Shorten(text))
	case n < least:
		return 0, usage("use "+strconv.FormatInt(least, 10)+" or more", "--%s %d is too small", flag, n)
	}
	return n, nil
}

// payloadLast lets `publish Q -5` mean the payload -5 (CMD-5): when a word of a
// publish starts like a negative number, all its operands go behind `--`, in
// their order. Other calls stay as they are.
func payloadLast(args []string, root *cobra.Command) []string {
	at := commandIndex(args, root)
	if at < 0 || args[at] != "publish" {
		return args
	}
	cmd, _, err := root.Find([]string{"publish"})
	if err != nil {
		return args
	}
	flags := append([]string{}, args[:at+1]...)
	var operands []string
	negative := false
	for i := at + 1; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "--":
			operands = append(operands, args[i+1:]...)
			i = len(args)
		case negativeNumber(word):
			negative = true
			operands = append(operands, word)
		case len(word) < 2 || word[0] != '-':
			operands = append(operands, word)
		case takesNext(word, cmd) && i+1 < len(args):
			flags = append(flags, word, args[i+1])
			i++
		default:
			flags = append(flags, word)
		}
	}
	if !negative {
		return args
	}
	return append(append(flags, "--"), operands...)
}

// commandIndex finds the first word that is neither a global flag nor the value
// of one; -1 when there is none.
func commandIndex(args []string, root *cobra.Command) int {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return -1
		case len(args[i]) < 2 || args[i][0] != '-':
			return i
		case takesNext(args[i], root):
			i++
		}
	}
	return -1
}

// takesNext tells whether the value of a flag is the word after it.
func takesNext(word string, cmd *cobra.Command) bool {
	name, long := strings.CutPrefix(word, "--")
	if !long || strings.Contains(name, "=") {
		return false // short flags take no value here
	}
	flag := cmd.Flag(name)
	return flag != nil && flag.NoOptDefVal == ""
}

func negativeNumber(word string) bool {
	return len(word) > 1 && word[0] == '-' && (word[1] == '.' || word[1] >= '0' && word[1] <= '9')
}
