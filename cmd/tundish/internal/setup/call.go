package setup

import "cmp"

// CommandLine is a command that can be pasted into a shell.
func CommandLine(words ...string) string { return join(words) }

// Init is a call of init that can be pasted: for the subscriber who, with flags of
// tundish in front, such as --db, and with more words behind.
func (h Host) Init(p Place, who string, flags []string, more ...string) string {
	return initLine(h.Name, p, who, flags, more...)
}

func initLine(host string, p Place, who string, flags []string, more ...string) string {
	words := append(append([]string{"tundish"}, flags...), "init", host, "--as", who)
	if p.Project {
		words = append(words, "--project")
	}
	return CommandLine(append(words, more...)...)
}

// repair says how the hook that runs words gets right for the subscriber who, which
// is its own where that is empty. The database stays the hook's, and subscriptions
// as they are, so that nothing is asked for.
func repair(host string, p Place, words []string, who string) string {
	who = cmp.Or(who, Subscriber(words), host)
	return "run " + initLine(host, p, who, globalFlags(words), "--no-subscribe")
}

// globalFlags are the flags of a hook's command that say where its mail is.
func globalFlags(words []string) []string {
	var flags []string
	for _, name := range []string{"db", "config"} {
		if path := flagOf(words, name); path != "" {
			flags = append(flags, "--"+name, path)
		}
	}
	return flags
}
