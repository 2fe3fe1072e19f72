// Package deliveropencode gives entries to a session of an opencode server, and
// finds out what became of them (OUT-15). What it says about the server was seen
// on version 1.18.33; internal/peers checks it against that one.
//
// A send posts the text to /session/S/prompt_async. The server answers 204
// before it has stored anything, and forgets the prompt if it dies then. So the
// send goes on to ask for the message, and is delivered once the message is there
// together with the part that holds the text. The server writes the two one after
// the other: killed in between, it keeps a message without text for good, which
// no model ever sees.
//
// The name of a session is its id at the server, which uses that session's own
// directory. The model of an entry, if it has one, is an object with providerID
// and modelID, or a string of both with a slash between them.
//
// # Message ids
//
// The client makes the id of the message, so that it can ask for it later. The id
// is made and stored before the send, and stays the same for as long as the number
// of the send does: two ids for one send whose fate is unknown could become two
// prompts. The part has an id too, made from the message's. A send that is
// repeated with both writes the same two rows, and the server does not answer it a
// second time; with the message's id alone it would add the text again. A route may
// therefore be declared idempotent.
//
// Ids begin with the time, as the server's own do, and older servers took their
// order for the order of the conversation: they never answered a message whose id
// is below one that the session already has, and went round in circles after one
// whose id is above what their own clock says. Within a process ids only ever grow:
// those of one millisecond count on, and if the clock is set back by up to a minute
// they count on from the last one until it has caught up. After a longer step, and
// after one while no worker ran, they follow the clock, because ids from the
// future would be the greater evil. A message with too low an id is then stored
// and shown all the same; 1.18.33 answers it too, an older server along with the
// next prompt.
package deliveropencode
