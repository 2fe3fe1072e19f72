//go:build !unix || darwin

package config

import "os/user"

// Home is the user's home folder as the system's user database has it, or HOME
// where that has no entry (CFG-1).
func Home() (string, error) {
	u, err := user.Current()
	if err != nil {
		return homeOr("")
	}
	return homeOr(u.HomeDir)
}
