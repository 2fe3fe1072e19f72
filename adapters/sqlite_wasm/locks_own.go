//go:build !(linux || darwin || windows) || sqlite3_flock || sqlite3_dotlk

package sqlitewasm

// sharesLocks tells whether the driver's locks are those of every other SQLite
// program on this platform.
const sharesLocks = false
