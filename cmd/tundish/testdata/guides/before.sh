# What the commands of the guides take for granted: variables in every block, and
# files in the folder in which a page is tried.
DELIVERY_ID=72d3162e
BODY='{"type":"deploy","ok":true}'
[ ! -e port ] || PORT=$(cat port)

prepare() {
	printf '%s\n' "$BODY" >event.json
	printf '%s\n' '{"type":"deploy","repo":"web"}' '{"type":"deploy","repo":"api"}' >events.ndjson
	printf '#!/bin/sh\necho '"'"'{"event":{"channel":"C1","text":"hi"}}'"'"'\n' >slack-events
	chmod +x slack-events
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' >port
}
