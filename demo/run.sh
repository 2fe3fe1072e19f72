#!/bin/sh
# run.sh BINARY: the main job of tundish, start to end, on real events, in a
# temporary folder. It needs a POSIX shell, mktemp and rm.
set -eu

if [ $# -ne 1 ]; then
	echo "usage: demo/run.sh BINARY" >&2
	exit 2
fi
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
events=$(cd "$(dirname "$0")" && pwd)/webhooks.ndjson

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cd "$folder"
HOME=$folder
export HOME
printf 'format: 1\ndatabase: demo.db\n' >config.yml

# quoted prints a word the way a shell would need it typed. No word here holds a
# single quote.
quoted() {
	case $1 in
	*[!A-Za-z0-9_./:=-]*) printf " '%s'" "$1" ;;
	*) printf ' %s' "$1" ;;
	esac
}

# say prints the command that is about to run.
say() {
	printf '$ tundish'
	for word in "$@"; do
		quoted "$word"
	done
}

# expect CODE ARGUMENT...: print the command, run it, and insist on its exit code.
expect() {
	want=$1
	shift
	say "$@"
	echo
	run "$@"
}

# run runs tundish on the demo's own configuration and database.
run() {
	got=0
	"$binary" --config config.yml --db demo.db "$@" || got=$?
	[ "$got" -eq 0 ] || echo "(exit $got)"
	if [ "$got" -ne "$want" ]; then
		echo "demo: exit $got where $want was expected" >&2
		exit 1
	fi
	echo
}

note() { printf '# %s\n' "$1"; }

note '--db and --config, left out below, point into a temporary folder.'
note 'Two roles want the failures of one queue. Whoever acks one takes it on.'
expect 0 subscribe failures --as fixer --queue github --consume on-ack \
	--filter '(.payload.check_run // .payload.workflow_job).conclusion == "failure"' \
	--template '(.payload.check_run // .payload.workflow_job) | "\(.name) failed: \(.html_url)"'
expect 0 subscribe failures --as reviewer

note 'The reviewer also wants to know of new pull requests.'
expect 0 subscribe opened --as reviewer --queue github \
	--filter '.payload.action == "opened" and .payload.pull_request' \
	--template '"\(.key) pull request \(.payload.number): \(.payload.pull_request.title)"'

note 'Eight webhooks arrive: push, issue, comment, two checks, pull request, job, release.'
want=0
say publish github --lines --key-jq '"github:" + .repository.full_name'
echo " <webhooks.ndjson"
run publish github --lines --key-jq '"github:" + .repository.full_name' <"$events"

note 'This is what the hook of an agent runs. The text enters the session.'
expect 0 pull --due --as fixer
expect 0 pull --due --as reviewer

note 'The fixer takes item 4. The reviewer comes second, and sees who has it.'
expect 0 ack 4 --as fixer
expect 3 ack 4 --as reviewer --subscription failures

note 'Nothing is delivered twice: a pull without news prints nothing.'
expect 0 pull --due --as fixer
expect 0 status
