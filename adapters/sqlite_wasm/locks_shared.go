//go:build (linux || darwin || windows) && !sqlite3_flock && !sqlite3_dotlk

package sqlitewasm

// sharesLocks tells whether the driver's locks are those of every other SQLite
// program on this platform. It is not so on the BSDs and illumos, nor with the
// driver's build tags for other kinds of locks.
const sharesLocks = true
