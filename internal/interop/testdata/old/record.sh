#!/bin/sh
# record.sh OLD: makes rich.db and odd.db with the program OLD (tundish 0.1.2),
# and records in rich.txt what OLD answers about a copy of rich.db, one command
# after the other. Needs the sqlite3 shell.
set -eu
[ $# -eq 1 ] || { echo "usage: record.sh OLD" >&2; exit 2; }
old=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$here/config.yml" "$dir/config.yml"

# t SECONDS ARGUMENT... runs OLD on the database that is being made.
t() { now=$1; shift; "$old" --db "$dir/made.db" --config "$dir/config.yml" --now "$now" "$@" >/dev/null; }
# put QUEUE FIRST LAST publishes numbered items.
put() { n=$2; while [ "$n" -le "$3" ]; do t 1000 publish "$1" "{\"n\":$n,\"even\":$((1 - n % 2))}" --key "k:$((n % 3))"; n=$((n + 1)); done; }

# ---- rich.db: subscriptions of every kind
put ci 1 12
t 1000 publish ci '"no object"'
t 1000 publish ci '{"text":"ünï\u0000code \"quoted\"","nested":{"b":[1,2.50,null],"a":true}}' --key 'key with spaces'
put alerts 1 9
put jobs 1 10
t 1000 subscribe read --as ann --queue ci --limit 4
t 1000 subscribe read --as bob
t 1001 pull read --as ann
t 1000 subscribe evens --as ann --queue ci --filter '.payload.even == 1' --every 10m
t 1002 pull evens --as ann --max-bytes 400
t 1000 subscribe watch --as ann --queue alerts --consume on-ack --filter '.payload.n != 4' --limit 5
t 1000 subscribe watch --as bob
t 1003 pull watch --as ann
t 1003 pull watch --as ann
t 1004 ack 16 --as ann
t 1004 ack 17 --as bob
t 1004 ack 23 --as bob
t 1000 subscribe pool --as w1 --queue jobs --share one --limit 3
t 1000 subscribe pool --as w2
t 1005 pull pool --as w1
t 1005 pull pool --as w2
t 1000 subscribe work --as w1 --queue jobs --share one --consume on-ack --lease 20s --max-attempts 2 --limit 2 --template '"job \(.payload.n)"'
t 1000 subscribe work --as w2
t 1100 pull work --as w1
t 1101 ack 24 --as w1 --subscription work
t 1110 pull work --as w2
t 1130 pull work --as w1
t 1160 pull work --as w2
t 1165 pull work --as w1
t 1000 subscribe digest --as lead --queue ci --select latest --limit 3 --template '.payload.n, .key'
t 1000 subscribe broken --as ann --queue ci --filter '.payload.n > 3' --template '.payload.n + .key'
t 1000 subscribe left --as w1 --queue jobs --share one
t 1006 pull left --as w1 --max-bytes 400
t 1006 unsubscribe left --as w1
t 1000 subscribe fresh --as ann --queue ci --start new
t 1000 subscribe empty --as ann --queue nothing --every 90s
t 1000 publish short '"old one"'
t 1000 publish short '"old two"'
t 1000 subscribe news --as ann --queue short
t 1000 subscribe news1 --as ann --queue short --share one
t 1400 publish short '"new one"'
t 1000 publish few '1'
t 1000 publish few '2'
t 1000 publish few '3'
t 1000 publish gone '"removed"'
t 2000 publish gone '"removed too"'
sqlite3 "$dir/made.db" "
  UPDATE subscribers SET errors = 2, last_error = 'made up' WHERE subscription = 'evens';
  UPDATE subscriptions SET errors = 1, parked = 3, dropped = 5, last_error = 'made up too' WHERE name = 'pool';
  DELETE FROM items WHERE queue = 'gone';
  VACUUM;"
cp "$dir/made.db" "$here/rich.db"

# ---- what the old program answers
cp "$here/rich.db" "$dir/asked.db"
: >"$here/rich.txt"
while read -r now words; do
	printf '$ %s %s\n' "$now" "$words" >>"$here/rich.txt"
	code=0
	# The words hold no spaces and no quotes.
	# shellcheck disable=SC2086
	"$old" --db "$dir/asked.db" --config "$dir/config.yml" --now "$now" $words >>"$here/rich.txt" 2>/dev/null || code=$?
	printf 'exit=%d\n' "$code" >>"$here/rich.txt"
done <"$here/asked.txt"

# ---- odd.db: queues and keys that are refused today, in a file without a log
rm -f "$dir"/made.db*
t 1000 publish 'a]b' '"in a]b"' --key 'fine'
t 1000 publish "$(printf 'two\nlines')" '"in two lines"'
t 1000 publish "$(printf 'esc\033[2J')" '"in esc"' --key "$(printf 'tab\there')"
t 1000 publish "$(printf 'bidi\342\200\256')" '"in bidi"' --key "$(printf '\342\200\256key')"
t 1000 publish "$(printf '%0300d' 0)" '"in a long one"'
t 1000 publish fine '"empty key"' --key ''
t 1000 publish fine '"forged key"' --key "$(printf 'k\n[fine#9] forged')"
t 1000 subscribe odd --as ann --queue 'a]b'
t 1000 subscribe lines --as ann --queue "$(printf 'two\nlines')"
t 1000 subscribe esc --as ann --queue "$(printf 'esc\033[2J')" --consume on-ack --template '.payload'
t 1000 subscribe fine --as ann --queue fine
sqlite3 "$dir/made.db" "PRAGMA journal_mode = DELETE; VACUUM;" >/dev/null
cp "$dir/made.db" "$here/odd.db"
chmod 644 "$here"/*.db
