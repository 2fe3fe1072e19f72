// Package hosts proves that mail reaches the model inside the real hosts of coding
// agents: Claude Code, Codex, Gemini CLI, opencode, and gaff inside Claude Code. Its
// tests run when TUNDISH_HOSTS names the folder into which they were installed, as
// `make hosts` does, and fail there if one is missing; `make test` only compiles
// them. TUNDISH_PROGRAM is the program under test.
//
// A run has a home of its own, in which `tundish init` puts the hook in place, and
// where Linux allows it a network that has nothing but loopback. The model behind the
// host is played by the test: it looks for items in what it is asked, and acks each
// with the host's own shell tool, as an agent is told to.
package hosts
