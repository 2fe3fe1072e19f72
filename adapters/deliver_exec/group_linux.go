package deliverexec

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// attributes make the program lead a group, and die with the thread that starts
// it. What it starts itself does not: alive looks for that.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// stat is what matters of /proc/PID/stat.
type stat struct {
	dead  bool // nobody has waited for it yet
	group string
	start string // clock ticks since the machine was started
}

func readStat(pid string) (stat, error) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The name of the program stands in parentheses and may hold anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 {
		return stat{}, errors.New("the state of a process is cut off")
	}
	return stat{
		dead:  bytes.ContainsAny(fields[0], "ZXx"),
		group: string(fields[2]), start: string(fields[19]),
	}, nil
}

// boot tells one start of the machine from another, since process ids and ticks
// begin anew.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) < 8 {
		return ""
	}
	return string(id[:8])
}

// identity is the process id, its start in ticks and the machine's start.
func identity(pid int) string {
	text := strconv.Itoa(pid)
	s, err := readStat(text)
	if err != nil {
		return text // without /proc
	}
	return text + "-" + s.start + "-" + boot()
}

// alive tells whether the process that got this identity, or another of its
// group, lives. A process that is dead but not waited for is none, since in a
// container perhaps nobody ever waits.
func alive(id string) bool {
	parts := strings.Split(id, "-")
	pid, err := strconv.Atoi(parts[0])
	if err != nil || pid <= 0 {
		return false
	}
	if len(parts) != 3 {
		return occupied(pid)
	}
	if now := boot(); now != "" && parts[2] != "" && parts[2] != now {
		return false
	}
	s, err := readStat(parts[0])
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH):
		return populated(parts[0])
	case err != nil:
		return occupied(pid)
	case s.start != parts[1]:
		return false // no number is given out again as long as it names a group
	}
	return !s.dead || populated(parts[0])
}

// populated tells whether a process lives in the group, or that cannot be told.
func populated(group string) bool {
	folder, err := os.Open("/proc")
	if err != nil {
		return true
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return true
	}
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if s, err := readStat(name); err == nil && s.group == group && !s.dead {
			return true
		}
	}
	return false
}

// occupied tells whether the number belongs to any process: all that is left to
// ask when nothing says when it was started.
func occupied(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
