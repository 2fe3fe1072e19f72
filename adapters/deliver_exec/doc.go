// Package deliverexec hands entries to a program, and asks programs what became
// of a send (OUT-15).
//
// A deliverer's program gets the entry as one line of compact JSON on standard
// input, which then ends, and these variables beside the worker's environment:
//
//	TUNDISH_WORKSPACE    the workspace
//	TUNDISH_SESSION      the session
//	TUNDISH_ENTRY        the id of the entry
//	TUNDISH_ATTEMPT      the number of the send
//	TUNDISH_USER         the user, when the entry has one
//	TUNDISH_DEADLINE_MS  milliseconds that were left when it was started
//
// It says how the send went by its exit code: 0 delivered, 75 could not be sent
// now, 76 not known, 79 the receiver still decides on a prior attempt, any other
// code not delivered. Its standard output goes nowhere, and the end of its
// standard error becomes part of the error. It must act only on a whole line: the
// worker that started it may die, or lose the lane, before it writes the line. It
// leads a process group. When its time is up the group gets SIGTERM and, two
// seconds later, SIGKILL; when the worker dies, Linux kills the program.
//
// A verifier's program gets the same, and prints delivered, absent or
// inconclusive. A ledger's program gets the first four variables and prints the
// state of that attempt, or nothing. Both exit with 0.
package deliverexec
