#!/bin/sh
# Makes schema-2.db anew: a database of tundish 0.2.0, which knew no outbox, with a
# bit of everything. Usage: OLD=/path/to/that/tundish ./schema-2.sh schema-2.db
set -eu
[ ! -e "$1" ] || { echo "$1 exists" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf 'format: 1\nqueues: {gone: {max_items: 1, max_age: 1s}}\n' >"$dir/c.yml"
t() { now=$1; shift; "$OLD" --db "$dir/o.db" --config "$dir/c.yml" --now "$now" "$@" >&2; }

# Queue q: a filter that errs on the last item, claims by ack, two readers.
t 1000 publish q --key 'k]1' '{"n":1}'
t 1001 publish q '{"n":2,"text":"\u00fcber \u202e"}'
t 1002 publish q --dedupe 'build 7' '{"n":3}'
t 1004 subscribe even --as ann --queue q --filter '.payload.n % 2 == 0' --consume on-ack --every 60s
t 1004 subscribe all --as ann --queue q --consume on-ack
t 1005 pull even --as ann
t 1005 pull all --as ann
t 1006 ack 3 --as ann --subscription all
t 1007 publish q '{"n":4}'
t 1008 publish q '[]'
t 1009 pull even --as ann
t 1010 subscribe all --as bob

# Queue jobs: leases that are open, ended and parked, an ack.
for n in 1 2 3 4; do t 1020 publish jobs "$n"; done
t 1021 subscribe work --as w1 --queue jobs --share one --consume on-ack --lease 100s --max-attempts 1 --limit 1
t 1022 pull work --as w1
t 1200 subscribe work --as w2
t 1200 pull work --as w2
t 1201 pull work --as w1
t 1202 ack 8 --as w1
t 1203 subscribe idle --as w1 --queue nothing --start new --every 2h

# Queue gone: items were dropped unread.
t 1300 subscribe lost --as ann --queue gone
t 1300 publish gone 1
t 1301 publish gone 2
t 1310 publish gone 3

sqlite3 "$dir/o.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >&2
cp "$dir/o.db" "$1"
