//go:build unix && !darwin

package config

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
)

// Home is the user's home folder: from the passwd database, so that a hook with
// a filtered environment finds the same files as its user; from HOME where that
// has no entry (CFG-1). The file is read here, not through os/user, so that a
// build with a C library and one without answer the same.
func Home() (string, error) {
	file, err := open("/etc/passwd")
	if err != nil {
		return homeOr("")
	}
	defer file.Close()
	return homeOr(passwdHome(file, os.Getuid()))
}

// passwdHome finds the home folder of uid in a passwd file; empty when the file
// does not tell.
func passwdHome(passwd io.Reader, uid int) string {
	want := strconv.Itoa(uid)
	lines := bufio.NewScanner(passwd)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) >= 6 && fields[2] == want && fields[0] != "" && fields[0][0] != '#' {
			return fields[5]
		}
	}
	return ""
}
