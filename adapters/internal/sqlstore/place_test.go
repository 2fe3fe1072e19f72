package sqlstore

import (
	"math"
	"testing"
)

// STO-5: network file systems are refused, shared ones told about.
func TestSTO5_FileSystems(t *testing.T) {
	for kind, want := range map[string]verdict{
		"nfs": refused, "nfs4": refused, "smb2": refused, "cifs": refused, "smbfs": refused,
		"afs": refused, "afpfs": refused, "fuse.sshfs": refused,
		"9p": doubtful, "virtiofs": doubtful,
		"": fine, "ext4": fine, "apfs": fine, "fuse.gocryptfs": fine, "fuseblk": fine,
	} {
		if got := judge(kind); got != want {
			t.Errorf("judge(%q) = %v, want %v", kind, got, want)
		}
	}
}

func TestTimesFit(t *testing.T) {
	for seconds, want := range map[int64]int64{
		0: 0, -1: -1, 1_800_000_000: 1_800_000_000,
		math.MaxInt64: maxSeconds, math.MinInt64: -maxSeconds,
	} {
		if got := toSeconds(toMS(seconds)); got != want {
			t.Errorf("%d becomes %d, want %d", seconds, got, want)
		}
	}
}

// The list of migrations leads to the schema of today, in rising order.
func TestMigrationsRise(t *testing.T) {
	last := int64(inboxSchema - 1)
	for _, m := range migrations() {
		if m.version != last+1 {
			t.Errorf("version %d follows %d", m.version, last)
		}
		last = m.version
	}
	if last != schemaVersion {
		t.Errorf("the last migration leads to %d, not %d", last, schemaVersion)
	}
}
