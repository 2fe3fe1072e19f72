// Package peers checks what delivers against the real programs that it delivers
// to. Its tests run when TUNDISH_PEERS names the folder into which npm installed
// them, as `make peers` does, and fail there if one is missing; `make test` only
// compiles them. Nothing leaves the machine: the models behind the peers are
// played by the test.
package peers
