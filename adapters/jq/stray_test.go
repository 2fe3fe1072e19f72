package jq

import "testing"

// CMD-3: the member that was meant to be the payload's is found where the input is
// plainly the item, and nowhere else.
func TestCMD3_Stray(t *testing.T) {
	for text, want := range map[string]string{
		".ok":                           "ok",
		".ok | not":                     "ok",
		`.state == "failed"`:            "state",
		`.["state"] == 1`:               "state",
		`.key == "a" and .n > 3`:        "n",
		`select(.n > 3)`:                "n",
		`select(.id > 3) | .title`:      "title",
		`. | .title`:                    "title",
		`"\(.id): \(.title)"`:           "title",
		`{id, title}`:                   "title",
		`{a: .title}`:                   "title",
		`[.id, -.n]`:                    "n",
		`if .id > 3 then .a else 1 end`: "a",
		`if .id then 1 elif .b then 2 else 3 end`: "b",
		`.ok?`:                           "ok",
		`try .ok`:                        "ok",
		`(.ok)`:                          "ok",
		`@json "x\(.ok)"`:                "ok",
		`.id as $x | .ok`:                "ok",
		`.payload.ok // .fallback`:       "fallback",
		".payload.ok":                    "",
		".payload | .ok":                 "",
		".payload[] | .ok":               "",
		".id, .queue, .key, .created_at": "",
		`{id, k: .payload.k}`:            "",
		`.n = 1`:                         "",
		`.n |= 1`:                        "",
		`. + {n: 1} | .n`:                "",
		`def f: .ok; f`:                  "",
		`.. | .ok?`:                      "",
		`to_entries | .[0]`:              "",
		`with_entries(.value)`:           "",
		`{$x}`:                           "",
		`.[0]`:                           "",
		`.[1:2]`:                         "",
		`((`:                             "",
		``:                               "",
	} {
		if got := New().Stray(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
