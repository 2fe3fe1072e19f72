// Package archtest holds the laws of this code base as tests: who may import
// whom, what a pure package must not touch, how big a file or a role may be, and
// which modules are known. It has no code of its own.
//
// Every law is a pure function from a description of packages or sources to a
// list of violations. One test runs it on the tree, another on a description
// that breaks it, so that no law can pass by looking at nothing.
package archtest
