// Package deliverhttp posts entries to a web server (OUT-15).
//
// Each send is one POST of the entry as JSON, with the entry's id as
// Idempotency-Key, over a connection of its own that HTTP/1.1 is spoken on and
// that is closed afterwards. Nothing is ever sent again below this package: Go's
// own client repeats a POST with that header when a kept connection turns out to
// be cut, and the receiver has perhaps stored it by then. Redirects are not
// followed, and no proxy is asked, whatever the environment says: a proxy would
// read the prompts, and answer in the receiver's place.
//
// An error before the first byte of the request has left is transient, and one
// after it ambiguous. Dialing and TLS come before it.
package deliverhttp
