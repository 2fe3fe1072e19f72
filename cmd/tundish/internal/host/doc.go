// Package host knows the programs in whose hooks tundish runs: what each of them
// calls its events, what it takes at which event, how much of it, and how it
// tells what happened. It is a description and a few functions of it, with no
// input or output of its own.
//
// What is said of Claude Code, Codex, Gemini, opencode and gaff was seen in the
// programs themselves. Cursor and Copilot are described from their documentation
// (see Host.Proven).
package host
