package sqlstore

import (
	"testing"
)

// STO-5: the numbers are those of statfs(2).
func TestSTO5_FileSystemNumbers(t *testing.T) {
	for number, want := range map[int64]verdict{
		0x6969: refused, 0x517B: refused, 0xFE534D42: refused, 0xFF534D42: refused, 0x5346414F: refused,
		0x01021997: doubtful, 0xEF53: fine, 0x01021994: fine,
		int64(int32(-0x00ACB2BE)): refused, // CIFS where the number has a sign
	} {
		if got := judge(kindOf(number)); got != want {
			t.Errorf("%#x: %v, want %v", number, got, want)
		}
	}
}

func TestSTO5_FuseNames(t *testing.T) {
	const line = "36 35 0:51 / /home/x/remote rw,nosuid shared:1 - fuse.sshfs user@host:/ rw"
	if kind, ok := mountKind(line, "0:51"); !ok || kind != "fuse.sshfs" {
		t.Errorf("mountKind is %q, %v", kind, ok)
	}
	for _, other := range []string{"0:5", "36:35", ""} {
		if kind, ok := mountKind(line, other); ok {
			t.Errorf("device %q is %q", other, kind)
		}
	}
}

// A folder of this machine is fine, whatever it is on.
func TestSTO5_LocalFolder(t *testing.T) {
	if kind, verdict := filesystem(t.TempDir()); verdict == refused {
		t.Errorf("a temporary folder is on %q", kind)
	}
	if kind, verdict := filesystem("/proc"); verdict != fine {
		t.Errorf("/proc is on %q", kind)
	}
}
