package setup

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSETUP3_Diff(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"equal", "a\n", "a\n", ""},
		{"new", "", "a\nb\n", "--- x\n+++ y\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"gone", "a\n", "", "--- x\n+++ y\n@@ -1,1 +0,0 @@\n-a\n"},
		{
			"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "1\n2\n3\n4\nn\n5\n6\n7\n8\n9\n10\n11\n",
			"--- x\n+++ y\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+n\n 5\n 6\n 7\n@@ -9,4 +10,3 @@\n 9\n 10\n 11\n-12\n",
		},
		{"no newline", "a", "a\n", "--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	} {
		if got := diff("x", "y", []byte(test.before), []byte(test.after)); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// SETUP-3: what a diff says is the change: its lines make the one text of the
// other.
func TestSETUP3_DiffIsTheChange(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"})
		a, b := rapid.SliceOfN(line, 0, 20).Draw(r, "a"), rapid.SliceOfN(line, 0, 20).Draw(r, "b")
		var before, after strings.Builder
		for _, s := range compare(a, b) {
			if s.kind != '+' {
				before.WriteString(s.text)
			}
			if s.kind != '-' {
				after.WriteString(s.text)
			}
		}
		if before.String() != strings.Join(a, "") || after.String() != strings.Join(b, "") {
			r.Fatalf("%q and %q", before.String(), after.String())
		}
	})
}
