package sqlstore

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// Store implements [storage.Store] on one SQLite file.
type Store struct {
	driver Driver
	opts   Options
	path   string // absolute, and of the file itself if the given one is a link

	writer   chan struct{} // holds the token of this process's one writer
	inLine   atomic.Bool   // the kernel keeps a place in the line for this store
	verified atomic.Bool   // the file is a database of ours
	logged   atomic.Bool   // and in WAL mode

	mu     sync.Mutex
	pool   *sqlx.DB // nil until the first connection is wanted
	idle   []*session
	warned bool // the place was found wanting, and Warn has been told
}

var _ storage.Store = (*Store)(nil)

// maxIdle is how many connections a store keeps for later. Each costs memory
// and two or three open files.
const maxIdle = 4

// Open prepares a store on the database file at path. It touches nothing: a
// path that cannot be used fails in the first View or Update, except that an
// empty path and ":memory:" have code Invalid at once (STO-5).
func Open(ctx context.Context, driver Driver, path string, opts Options) (*Store, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx, "open", path)
	}
	switch path {
	case "":
		return nil, &domain.Error{Code: domain.Invalid, Text: "the database path is empty", Remedy: "name a file"}
	case ":memory:":
		return nil, &domain.Error{
			Code: domain.Invalid, Text: "the database path is :memory:",
			Remedy: "name a file, since a database in memory would end with the process",
		}
	}
	abs, err := resolve(path)
	if err != nil {
		return nil, placeError("find", path, err)
	}
	return &Store{driver: driver, opts: opts, path: abs, writer: make(chan struct{}, 1)}, nil
}

// resolve makes path absolute and follows links in its last element: the log
// and the lock file of SQLite stand beside the file itself, even a missing one.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	for range 40 {
		if err != nil {
			return "", err
		}
		info, statErr := os.Lstat(path)
		if statErr != nil || info.Mode()&os.ModeSymlink == 0 {
			return path, nil // what is wrong with it will show when it is used
		}
		var target string
		if target, err = os.Readlink(path); err == nil && !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &domain.Error{Code: domain.IO, Text: "too many links"}
}

// Path is the absolute path of the database file.
func (s *Store) Path() string { return s.path }

// Close frees what the store holds. If no other connection to the database is
// left anywhere, that includes folding the log into the file. No other call may
// run or follow.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.idle {
		sess.close()
	}
	s.idle = nil
	if s.pool == nil {
		return nil
	}
	err := s.pool.Close()
	s.pool = nil
	if err != nil {
		return s.fail(context.Background(), "close", err)
	}
	return nil
}

// smallLog is the size of the log, in bytes, below which Leave leaves it for a
// later process.
const smallLog = 256 << 10

// Leave is Close for a process that exits right after it: while the log is
// small, it frees nothing and leaves that to the exit, because folding the log
// into the file costs several syncs and the next process reads it anyway. No
// other call may run or follow.
func (s *Store) Leave() error {
	if !s.verified.Load() {
		return nil // nothing was written, and nothing of others is to be changed
	}
	info, err := os.Stat(s.path + "-wal")
	if err == nil && info.Size() >= smallLog {
		return s.Close()
	}
	return nil
}

// connect opens a new connection; the pool keeps none of its own.
func (s *Store) connect(ctx context.Context) (*session, error) {
	pool, err := s.lazyPool()
	if err != nil {
		return nil, err
	}
	conn, err := pool.Connx(ctx)
	if err != nil {
		return nil, err
	}
	sess := &session{conn: conn, stmts: map[string]*statement{}}
	if _, err := conn.ExecContext(ctx, setup); err != nil {
		sess.close()
		return nil, err
	}
	return sess, nil
}

func (s *Store) lazyPool() (*sqlx.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool == nil {
		connector, err := s.driver.Connector(s.path)
		if err != nil {
			return nil, err
		}
		s.pool = sqlx.NewDb(sql.OpenDB(connector), s.driver.Name)
		s.pool.SetMaxIdleConns(-1)
	}
	return s.pool, nil
}

// take gives a connection that nobody uses, an old one if there is one.
func (s *Store) take(ctx context.Context) (*session, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		sess := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return sess, nil
	}
	s.mu.Unlock()
	return s.connect(ctx)
}

// put takes a connection back, outside of any transaction.
func (s *Store) put(sess *session) {
	s.mu.Lock()
	keep := !sess.broken && len(s.idle) < maxIdle
	if keep {
		s.idle = append(s.idle, sess)
	}
	s.mu.Unlock()
	if !keep {
		sess.close()
	}
}
