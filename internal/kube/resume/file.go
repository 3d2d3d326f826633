// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The bucket of a kind has two entries: a bucket with its objects in CBOR, and a checkpoint.
var (
	keyObjects    = []byte("objects")
	keyCheckpoint = []byte("point")
)

// checkpoint is the version of the cluster's collection that the stored objects match. It is absent while some objects
// are missing.
type checkpoint struct {
	// Version is the resource version of the collection.
	Version string `json:"version"`
	// At is when the objects matched. Whole is when all objects were last listed.
	At    time.Time `json:"at"`
	Whole time.Time `json:"whole"`
}

var (
	errGivenUp = errors.New("snapshot is closed")
	errStopped = errors.New("watch stopped")
)

// flush writes the pending changes. Changes lost when the process is killed are read again from the cluster, from the
// checkpoint on.
func (k *kind) flush() error {
	n, db := k.take(), k.store.file()
	if db == nil || !n.reset && len(n.objects) == 0 && n.version == "" {
		return nil
	}
	names := slices.Sorted(maps.Keys(n.objects)) // sorted keys are adjacent in the file as well
	for {
		now := names[:min(len(names), batch)]
		names = names[len(now):]
		write := func(tx *bbolt.Tx) error { return k.write(tx, n, now, len(names) == 0) }
		if err := guard(func() error { return db.Update(write) }); err != nil {
			return fmt.Errorf("writing objects of %s: %w", k.bucket, err)
		}
		if len(names) == 0 {
			return nil
		}
		n.reset = false
	}
}

// write writes some of the pending changes. The checkpoint is absent until the last of them is written.
func (k *kind) write(tx *bbolt.Tx, n pending, names []string, last bool) error {
	b, err := tx.CreateBucketIfNotExists(k.bucket)
	if err != nil {
		return err
	}
	if n.reset {
		if err := b.DeleteBucket(keyObjects); err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
			return err
		}
	}
	if n.reset || !last {
		if err := b.Delete(keyCheckpoint); err != nil {
			return err
		}
	}
	objects, err := b.CreateBucketIfNotExists(keyObjects)
	if err != nil {
		return err
	}
	for _, name := range names {
		o := n.objects[name]
		if o == nil {
			err = objects.Delete([]byte(name))
		} else {
			err = put(objects, name, o)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if !last || n.version == "" {
		return nil
	}
	return put(b, string(keyCheckpoint), checkpoint{Version: n.version, At: k.store.config.Clock.Now(), Whole: n.whole})
}

func put(b *bbolt.Bucket, name string, value any) error {
	text, err := direct.Marshal(value)
	if err != nil {
		return err
	}
	return b.Put([]byte(name), text)
}

// since returns the checkpoint from which a watch can resume. It is empty when nothing is stored.
func (k *kind) since() (p checkpoint, err error) {
	err = k.view(func(b *bbolt.Bucket) error {
		if b.Get(keyCheckpoint) == nil {
			return nil
		}
		return direct.Unmarshal(b.Get(keyCheckpoint), &p)
	})
	now := k.store.config.Clock.Now()
	switch {
	case errors.Is(err, errGivenUp):
		return checkpoint{}, nil
	case err != nil:
		return p, stale("%v", err)
	case p.Version == "":
	case now.Sub(p.At) > maxAge:
		return p, stale("snapshot is %s old", now.Sub(p.At).Round(time.Second))
	case now.Sub(p.Whole) > maxSince:
		return p, stale("last full list was %s ago", now.Sub(p.Whole).Round(time.Second))
	}
	return p, nil
}

// verify returns the current version of the collection. It returns a staleError if this is another collection, or one
// that has moved back, as after a restore of etcd.
func (k *kind) verify(ctx context.Context, since string) (now string, err error) {
	list, err := k.cluster.ListWithContext(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return "", err
	}
	page, err := meta.ListAccessor(list)
	if err != nil {
		return "", err
	}
	now = page.GetResourceVersion()
	if c, err := resourceversion.CompareResourceVersion(now, since); err != nil || c < 0 {
		return "", stale("resource version of the cluster is %s, of the snapshot %s", now, since)
	}
	if meta.LenList(list) == 0 {
		return "", stale("cluster has no objects of this kind")
	}
	return now, meta.EachListItem(list, func(item apiruntime.Object) error {
		o := item.(client.Object)
		if before(since, o.GetResourceVersion()) {
			return nil
		}
		kept, err := k.get(key(o))
		if err != nil || kept.GetUID() != o.GetUID() || kept.GetResourceVersion() != o.GetResourceVersion() {
			return stale("stored object %s differs from the one in the cluster: %v", key(o), err)
		}
		return nil
	})
}

// get returns a stored object, or an empty one if it is not stored.
func (k *kind) get(name string) (client.Object, error) {
	o := k.empty()
	return o, k.view(func(b *bbolt.Bucket) error {
		text := b.Bucket(keyObjects).Get([]byte(name))
		if text == nil {
			return nil
		}
		return direct.Unmarshal(text, o)
	})
}

// each passes every stored object to give, from several goroutines, until a call returns false. It returns how many
// objects it has read.
func (k *kind) each(give func(client.Object) bool) (int, error) {
	n := 0
	err := k.view(func(b *bbolt.Bucket) error {
		texts := make(chan []byte, batch)
		readers, ctx := errgroup.WithContext(context.Background())
		for range runtime.GOMAXPROCS(0) {
			readers.Go(func() error {
				for text := range texts {
					o := k.empty()
					if err := direct.Unmarshal(text, o); err != nil {
						return err
					}
					held, err := k.transformed(o)
					if err != nil {
						return err
					}
					if !give(held.(client.Object)) {
						return errStopped
					}
				}
				return nil
			})
		}
		_ = b.Bucket(keyObjects).ForEach(func(_, text []byte) error {
			select {
			case texts <- text:
				n++
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		close(texts)
		return readers.Wait()
	})
	return n, err
}

// view calls read with the bucket of the kind, if it exists.
func (k *kind) view(read func(*bbolt.Bucket) error) error {
	db := k.store.file()
	if db == nil {
		return errGivenUp
	}
	return guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if b := tx.Bucket(k.bucket); b != nil {
				return read(b)
			}
			return nil
		})
	})
}
