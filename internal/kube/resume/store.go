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
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/lists"
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

// Store stores objects of some kinds: those that its informers hold are written once it is started.
type Store struct {
	config Config
	path   string
	kinds  map[reflect.Type]*kind

	mu sync.Mutex
	db *bbolt.DB // nil when nothing is stored any more
}

// Open opens the snapshot file in a directory. It removes files of another build of the program, of another cluster, or
// from before the machine booted. If no file can be opened, it logs the error and stores nothing.
func Open(c Config) *Store {
	s := &Store{config: c, kinds: make(map[reflect.Type]*kind, len(c.Kinds))}
	if c.Folder != "" {
		if err := s.openFile(); err != nil {
			c.Log.Error(err, "opening informer snapshot failed; the next start lists all objects", "folder", c.Folder)
		}
	}
	for _, o := range c.Kinds {
		t := reflect.TypeOf(o)
		s.kinds[t] = &kind{store: s, example: t.Elem(), bucket: []byte(t.Elem().String()), lasting: s.db != nil}
	}
	return s
}

func (s *Store) openFile() error {
	c := s.config
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return err
	}
	origin, err := origin(c.Server)
	if err != nil {
		return err
	}
	file := filepath.Join(c.Folder, "objects-"+origin+".db")
	if err := removeOthers(c.Folder, file); err != nil {
		return err
	}
	db, err := open(file)
	if err != nil && !errors.Is(err, berrors.ErrTimeout) { // not a valid file of this package
		c.Log.Error(err, "reading informer snapshot failed; discarding it", "file", file)
		if err := os.Remove(file); err != nil {
			return err
		}
		db, err = open(file)
	}
	s.path, s.db = file, db
	return err
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

// Informers returns the constructor for cache.Options.NewInformer of a cache of the cluster with this configuration, and
// with the label selector for the kinds of the store. Only the first informer of a kind is stored. Informers of other
// kinds list in pages.
func (s *Store) Informers(config *rest.Config, scheme *runtime.Scheme, selector labels.Selector) (NewInformer, error) {
	for _, o := range s.config.Kinds {
		l, err := lists.New(config, scheme, o, selector)
		if err != nil {
			return nil, err
		}
		s.kinds[reflect.TypeOf(o)].list = l.Each
	}
	return s.newInformer, nil
}

func (s *Store) newInformer(
	lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers,
) toolscache.SharedIndexInformer {
	cluster := toolscache.ToListerWatcherWithContext(lw)
	k := s.kinds[reflect.TypeOf(example)]
	if k == nil || k.cluster != nil {
		return toolscache.NewSharedIndexInformer(pages{cluster}, example, resync, indexers)
	}
	k.cluster = cluster
	return informer{SharedIndexInformer: toolscache.NewSharedIndexInformer(k, example, resync, indexers), kind: k}
}

// NewInformer is the type of cache.Options.NewInformer.
type NewInformer = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer

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

// Start writes what informers learn until the context ends. It returns at once if nothing is stored. It fits
// manager.Runnable.
func (s *Store) Start(ctx context.Context) error {
	if s.file() == nil {
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
