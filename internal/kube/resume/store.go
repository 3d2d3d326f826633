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
	// maxAge of what is gone on from. A cluster remembers no longer by default: kube-apiserver compacts etcd every five minutes.
	maxAge = 5 * time.Minute
	// maxSince is how long ago all objects may have been asked for. What a new list would show otherwise, such as the defaults of a kind
	// that changed, is seen after that at the latest.
	maxSince = 24 * time.Hour
	// interval of writing.
	interval = time.Second
	// batch is how many objects are written at once: some 10 MB.
	batch = 2000
	// maxBytes of the file. Nothing is kept of an installation that needs more.
	maxBytes = 4 << 30
)

// Config of a Store.
type Config struct {
	// Folder where the file is, of this program alone. It is made if it does not exist. Without one nothing is kept.
	Folder string
	// Server is the address of the cluster: what was kept of another one is forgotten.
	Server string
	// Kinds that are kept. Their informers are of whole objects, not of metadata alone.
	Kinds []client.Object
	Clock clock.WithTicker
	Log   logr.Logger
}

// Kinds are those of which an installation has very many. Keys, connections and answers are none of them: they are not written down beside
// a program.
func Kinds() []client.Object {
	return []client.Object{&v1beta1.Slideshow{}, &v1beta1.Video{}, &v1beta1.RenderJob{}, &v1beta1.MediaAsset{}, &v1beta1.Post{}}
}

// Store keeps objects of some kinds: those that its Informer watches are written once it is started. A nil Store keeps nothing.
type Store struct {
	config Config
	path   string
	kinds  map[reflect.Type]*kind

	mu sync.Mutex
	db *bbolt.DB // nil when nothing is kept any more
}

// Open opens the file in a folder. What another build of the program left there, or this one about another cluster or before the machine
// was started anew, is removed. Where there can be no file it says so in the log and gives nil, which keeps nothing.
func Open(c Config) *Store {
	if c.Folder == "" {
		return nil
	}
	s, err := openIn(c)
	if err != nil {
		c.Log.Error(err, "what the caches hold is not kept; the next start asks the cluster for all of it", "folder", c.Folder)
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
	if err != nil && !errors.Is(err, berrors.ErrTimeout) { // not a file of ours
		c.Log.Error(err, "the objects that were kept cannot be read and are forgotten", "file", file)
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

// open does not ask for what is written to reach the disk: a file that may be damaged because the machine stopped is never read again.
func open(file string) (db *bbolt.DB, err error) {
	err = guard(func() (err error) {
		db, err = bbolt.Open(file, 0o600, &bbolt.Options{
			Timeout: time.Second, NoSync: true, NoGrowSync: true, FreelistType: bbolt.FreelistMapType,
			MaxSize: maxBytes, InitialMmapSize: maxBytes, // addresses, not memory: a file that grows out of its map waits for all who read
		})
		return err
	})
	return db, err
}

// guard makes an error of a panic, which is how bbolt tells of damaged pages.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	return do()
}

// origin names who may use a file: this build of the program, with this cluster, until the machine is started anew.
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
		return "", fmt.Errorf("asking when the machine was started: %w", err)
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

// Informer fits cache.Options.NewInformer. What a second informer of a kind learns is not kept.
func (s *Store) Informer(
	lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers,
) toolscache.SharedIndexInformer {
	var k *kind
	if s != nil {
		k = s.kinds[reflect.TypeOf(example)]
	}
	if k == nil || k.cluster != nil {
		return toolscache.NewSharedIndexInformer(lw, example, resync, indexers)
	}
	k.cluster = toolscache.ToListerWatcherWithContext(lw)
	return informer{SharedIndexInformer: toolscache.NewSharedIndexInformer(k, example, resync, indexers), kind: k}
}

// informer makes objects what they are to be before they are kept, so that they are kept as they are held.
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
			return nil // what is not written yet the cluster tells again
		case <-t.C():
			s.flush()
		}
	}
}

// NeedLeaderElection says that a manager that waits keeps what it knows as well.
func (s *Store) NeedLeaderElection() bool { return false }

// flush writes what is new of all kinds. If it cannot, nothing is kept from then on: the program does not depend on it.
func (s *Store) flush() {
	for _, k := range s.kinds {
		if err := k.flush(); err != nil {
			s.config.Log.Error(err, "what the caches hold is not kept any more; the next start asks the cluster for all of it")
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
		s.config.Log.Error(err, "closing the file of kept objects")
	}
}

// file is nil when nothing is kept any more.
func (s *Store) file() *bbolt.DB {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db
}
