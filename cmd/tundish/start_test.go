//go:build unix

package main_test

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// A hook's process starts before every prompt of an agent: what packages prepare
// before main is paid each time, whether it is needed or not. The bounds are
// about twice what is prepared today; a table of jq's functions is ten times
// that.
func TestLittleIsPreparedBeforeMain(t *testing.T) {
	const packageBytes, allBytes = 24 << 10, 80 << 10
	line := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, `)
	for _, b := range builds {
		if b.driver == "turns" {
			continue
		}
		t.Run(b.driver, func(t *testing.T) {
			cmd := exec.Command(b.path, "--version")
			cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatal(err)
			}
			all := 0
			inits := line.FindAllSubmatch(out, -1)
			for _, init := range inits {
				bytes, err := strconv.Atoi(string(init[2]))
				if err != nil {
					t.Fatal(err)
				}
				all += bytes
				if bytes > packageBytes {
					t.Errorf("%s prepares %d bytes before main, more than %d", init[1], bytes, packageBytes)
				}
			}
			if len(inits) < 5 || all > allBytes {
				t.Errorf("%d packages prepare %d bytes before main, more than %d, in\n%s", len(inits), all, allBytes, out)
			}
		})
	}
}
