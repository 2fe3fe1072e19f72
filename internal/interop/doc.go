// Package interop holds tests only: real processes of both builds of tundish on
// real files, often on the same one at the same time. They look at what no test
// inside a process can see: locks between drivers, death by a signal, the order
// of system calls, and what a shell does to a program's output.
//
// TestMain builds the programs. Without a C compiler it says so in one line, and
// every test runs on the build without cgo alone. TUNDISH_LONG=1 raises the
// rounds and the times of the tests of concurrency.
package interop
