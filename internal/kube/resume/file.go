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

// The bucket of a kind has two entries: a bucket with its objects in CBOR, and a point.
var (
	keyObjects = []byte("objects")
	keyPoint   = []byte("point")
)

// point is how far the objects beside it are those of the cluster. There is none while some of them are missing.
type point struct {
	// Version of the collection.
	Version string `json:"version"`
	// At is when that was so, Whole when the cluster was asked for all objects.
	At    time.Time `json:"at"`
	Whole time.Time `json:"whole"`
}

var (
	errGivenUp = errors.New("nothing is kept any more")
	errNobody  = errors.New("nobody listens")
)

// flush writes what is new. What a killed process had not written yet is asked for again, from the point on.
func (k *kind) flush() error {
	n, db := k.take(), k.store.file()
	if db == nil || !n.anew && len(n.objects) == 0 && n.version == "" {
		return nil
	}
	names := slices.Sorted(maps.Keys(n.objects)) // next to each other in the file as well
	for {
		now := names[:min(len(names), batch)]
		names = names[len(now):]
		write := func(tx *bbolt.Tx) error { return k.write(tx, n, now, len(names) == 0) }
		if err := guard(func() error { return db.Update(write) }); err != nil {
			return fmt.Errorf("writing %s: %w", k.bucket, err)
		}
		if len(names) == 0 {
			return nil
		}
		n.anew = false
	}
}

// write writes some of what is new. The point is gone until the last of it is there.
func (k *kind) write(tx *bbolt.Tx, n news, names []string, last bool) error {
	b, err := tx.CreateBucketIfNotExists(k.bucket)
	if err != nil {
		return err
	}
	if n.anew {
		if err := b.DeleteBucket(keyObjects); err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
			return err
		}
	}
	if n.anew || !last {
		if err := b.Delete(keyPoint); err != nil {
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
	return put(b, string(keyPoint), point{Version: n.version, At: k.store.config.Clock.Now(), Whole: n.whole})
}

func put(b *bbolt.Bucket, name string, value any) error {
	text, err := direct.Marshal(value)
	if err != nil {
		return err
	}
	return b.Put([]byte(name), text)
}

// since gives the point from which a watch goes on; an empty one when nothing was kept.
func (k *kind) since() (p point, err error) {
	err = k.view(func(b *bbolt.Bucket) error {
		if b.Get(keyPoint) == nil {
			return nil
		}
		return direct.Unmarshal(b.Get(keyPoint), &p)
	})
	now := k.store.config.Clock.Now()
	switch {
	case err != nil:
		return p, stale("%v", err)
	case p.Version == "":
	case now.Sub(p.At) > maxAge:
		return p, stale("they are %s old", now.Sub(p.At).Round(time.Second))
	case now.Sub(p.Whole) > maxSince:
		return p, stale("all were asked for %s ago", now.Sub(p.Whole).Round(time.Second))
	}
	return p, nil
}

// stillHolds tells whether this is the same collection, and one that has not gone back, as after a restore of etcd. It gives the version of
// now.
func (k *kind) stillHolds(ctx context.Context, since string) (now string, err error) {
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
		return "", stale("the cluster is at version %s, they are of %s", now, since)
	}
	if meta.LenList(list) == 0 {
		return "", stale("the cluster has none")
	}
	return now, meta.EachListItem(list, func(item apiruntime.Object) error {
		o := item.(client.Object)
		if before(since, o.GetResourceVersion()) {
			return nil
		}
		kept, err := k.get(key(o))
		if err != nil || kept.GetUID() != o.GetUID() || kept.GetResourceVersion() != o.GetResourceVersion() {
			return stale("%s is another one: %v", key(o), err)
		}
		return nil
	})
}

// get reads a kept object. One that is not there is empty.
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

// each gives every kept object to one of several callers at once, until one gives false. It gives how many there were.
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
					held, err := k.held(o)
					if err != nil {
						return err
					}
					if !give(held.(client.Object)) {
						return errNobody
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

// view reads what is kept of the kind, if anything is.
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
