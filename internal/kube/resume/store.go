// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

const (
	// maxAge is the greatest age of a snapshot to resume. By default kube-apiserver compacts etcd every five minutes,
	// so a cluster remembers no longer.
	maxAge = 5 * time.Minute
	// maxSince is the longest time since all objects were listed. It bounds how long an informer misses changes that
	// only a new list shows, such as changed defaults of a kind.
	maxSince = 24 * time.Hour
	// interval is the time between two writes.
	interval = time.Second
	// batch is how many objects one transaction writes: about 10 MB.
	batch = 2000
	// maxBytes is the largest file size. Larger installations have no snapshot.
	maxBytes = 4 << 30
)

// Config configures a Store.
type Config struct {
	// Folder is the directory of the file, which no other program uses. It is created if it does not exist. If empty,
	// nothing is stored.
	Folder string
	// Server is the address of the cluster. The snapshot of another cluster is discarded.
	Server string
	// Kinds are the kinds to store. Their informers must hold whole objects, not only metadata.
	Kinds []client.Object
	Clock clock.WithTicker
	Log   logr.Logger
}

// Kinds returns the kinds of which an installation has very many objects. API keys, connections and idempotency records
// are excluded, because they must not be written to the file.
func Kinds() []client.Object {
	return []client.Object{&v1beta1.Slideshow{}, &v1beta1.Video{}, &v1beta1.RenderJob{}, &v1beta1.MediaAsset{}, &v1beta1.Post{}}
}

// Store stores objects of some kinds: those that its Informer watches are written once it is started. A nil Store
// stores nothing.
type Store struct {
	config Config
	path   string
	kinds  map[reflect.Type]*kind

	mu sync.Mutex
	db *bbolt.DB // nil when nothing is stored any more
}

// Open opens the snapshot file in a directory. It removes files of another build of the program, of another cluster, or
// from before the machine booted. It returns nil, which stores nothing, if no file can be opened, and logs the error.
func Open(c Config) *Store {
	if c.Folder == "" {
		return nil
	}
	s, err := openIn(c)
	if err != nil {
		c.Log.Error(err, "opening informer snapshot failed; the next start lists all objects", "folder", c.Folder)
		return nil
	}
	return s
}

func openIn(c Config) (*Store, error) {
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return nil, err
	}
	origin, err := origin(c.Server)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.Folder, "objects-"+origin+".db")
	if err := removeOthers(c.Folder, file); err != nil {
		return nil, err
	}
	db, err := open(file)
	if err != nil && !errors.Is(err, berrors.ErrTimeout) { // not a valid file of this package
		c.Log.Error(err, "reading informer snapshot failed; discarding it", "file", file)
		if err := os.Remove(file); err != nil {
			return nil, err
		}
		db, err = open(file)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{config: c, path: file, db: db, kinds: make(map[reflect.Type]*kind, len(c.Kinds))}
	for _, o := range c.Kinds {
		t := reflect.TypeOf(o)
		s.kinds[t] = &kind{store: s, example: t.Elem(), bucket: []byte(t.Elem().String()), lasting: true}
	}
	return s, nil
}

// open returns the database without syncing writes to the disk. A file that may be damaged because the machine stopped
// is never read again.
func open(file string) (db *bbolt.DB, err error) {
	err = guard(func() (err error) {
		db, err = bbolt.Open(file, 0o600, &bbolt.Options{
			Timeout: time.Second, NoSync: true, NoGrowSync: true, FreelistType: bbolt.FreelistMapType,
			MaxSize: maxBytes, InitialMmapSize: maxBytes, // address space, not memory; growing the map waits for all readers
		})
		return err
	})
	return db, err
}

// guard returns a panic as an error, because bbolt reports damaged pages by a panic.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("corrupt snapshot file: %v", p)
		}
	}()
	return do()
}

// origin returns the hash of what a file is valid for: this build of the program, this cluster, and the current boot of
// the machine.
func origin(server string) (string, error) {
	h := sha256.New()
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer func() { _ = program.Close() }()
	if _, err := io.Copy(h, program); err != nil {
		return "", err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("reading the boot id of the machine: %w", err)
	}
	fmt.Fprintf(h, "\x00%s\x00%s", boot, server)
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

func removeOthers(folder, file string) error {
	all, err := filepath.Glob(filepath.Join(folder, "objects-*.db"))
	for _, f := range all {
		if f != file {
			err = errors.Join(err, os.Remove(f))
		}
	}
	return err
}

// Informer returns an informer that lists in pages, and fits cache.Options.NewInformer. Only the first informer of a
// kind is stored.
func (s *Store) Informer(
	lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers,
) toolscache.SharedIndexInformer {
	cluster := pages{toolscache.ToListerWatcherWithContext(lw)}
	var k *kind
	if s != nil {
		k = s.kinds[reflect.TypeOf(example)]
	}
	if k == nil || k.cluster != nil {
		return toolscache.NewSharedIndexInformer(cluster, example, resync, indexers)
	}
	k.cluster = cluster
	return informer{SharedIndexInformer: toolscache.NewSharedIndexInformer(k, example, resync, indexers), kind: k}
}

// informer hands its transform to the kind, which applies it before objects are stored. So the file has them as the
// informer holds them.
type informer struct {
	toolscache.SharedIndexInformer
	kind *kind
}

func (i informer) SetTransform(f toolscache.TransformFunc) error {
	i.kind.transform = f
	return nil
}

// Start writes what informers learn until the context ends. It fits manager.Runnable.
func (s *Store) Start(ctx context.Context) error {
	if s == nil {
		return nil
	}
	t := s.config.Clock.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil // the cluster sends again what is not written yet
		case <-t.C():
			s.flush()
		}
	}
}

// NeedLeaderElection returns false, because a standby manager stores its snapshot as well.
func (s *Store) NeedLeaderElection() bool { return false }

// flush writes the pending changes of all kinds. After a failure nothing is stored any more; the program does not
// depend on the file.
func (s *Store) flush() {
	for _, k := range s.kinds {
		if err := k.flush(); err != nil {
			s.config.Log.Error(err, "writing informer snapshot failed; the next start lists all objects")
			s.giveUp()
			return
		}
	}
}

func (s *Store) giveUp() {
	s.close()
	_ = os.Remove(s.path)
	for _, k := range s.kinds {
		k.end()
	}
}

func (s *Store) close() {
	s.mu.Lock()
	db := s.db
	s.db = nil
	s.mu.Unlock()
	if db == nil {
		return
	}
	if err := db.Close(); err != nil {
		s.config.Log.Error(err, "closing informer snapshot failed")
	}
}

// file returns nil when nothing is stored any more.
func (s *Store) file() *bbolt.DB {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db
}
