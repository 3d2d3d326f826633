// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recreate"
	"github.com/reelops/reelops/internal/store/blob"
)

// workers is the number of concurrent writes.
const workers = 16

// ErrNotEmpty indicates that the installation has objects that are not from the archive. The wrapping error names one.
var ErrNotEmpty = errors.New("the installation is not empty")

// Restore has the options of Put.
type Restore struct {
	// Open opens the archive at its beginning. Put calls it twice.
	Open func() (io.ReadCloser, error)
	// Into allows restoring into an installation that has other objects. Existing objects are not changed.
	Into bool
	// Send lets scheduled posts be sent at their time, and events be delivered. Otherwise they are suspended, because the source installation may
	// still run and send them. If the archive is from a retired installation, they are never suspended.
	Send bool
	// Wait is the time that a replaced manager gets to end its work; normally Unheard.
	Wait time.Duration
}

// Result counts what a restore did.
type Result struct {
	Head Head
	// Restored is the number of restored objects by kind. It includes objects created by an earlier run of the same
	// restore.
	Restored map[string]int
	// There counts existing objects that were not changed. Orphans counts objects whose owner is not in the archive.
	There, Orphans int
	// Suspended counts the batches and webhook endpoints that the restore suspended. Posts and events wait until
	// spec.suspend is false.
	Suspended int
	// Files counts the files written by this run or an earlier one.
	Files int
}

// Put restores an archive. On success the managers work again. If a write fails, they stay stopped until a repeated Put
// succeeds or the caller calls Free. ErrDamaged and ErrNotEmpty from the initial checks mean that nothing was restored.
func (i *Installation) Put(ctx context.Context, o Restore) (Result, error) {
	p := &putting{Installation: i, into: o.Into, send: o.Send, owners: map[types.UID]types.UID{}, out: Result{Restored: map[string]int{}}}
	if err := p.check(o.Open); err != nil {
		return p.out, err
	}
	if err := p.known(ctx); err != nil {
		return p.out, err
	}
	if !o.Into { // check before stopping the managers
		if err := p.empty(ctx); err != nil {
			return p.out, err
		}
	}
	if err := i.Hold(ctx, "restore-"+p.out.Head.ID, o.Wait); err != nil {
		return p.out, err
	}
	if !o.Into {
		if err := p.empty(ctx); err != nil {
			return p.out, errors.Join(err, i.Free(ctx))
		}
	}
	for _, u := range p.first {
		if err := p.begin(ctx, u); err != nil {
			return p.out, err
		}
	}
	if err := p.objects(ctx, o.Open); err != nil {
		return p.out, err
	}
	if err := p.release(ctx); err != nil {
		return p.out, err
	}
	return p.out, i.Free(ctx)
}

// putting is a restore in progress.
type putting struct {
	*Installation
	into, send bool
	// first are the namespaces and the counters of ids.
	first []*unstructured.Unstructured
	// gvks are the known kinds by name.
	gvks map[string]schema.GroupVersionKind

	mu sync.Mutex
	// owners maps the original uids of restored objects that can own other objects to the new uids.
	owners map[types.UID]types.UID
	out    Result
}

// check reads and verifies the whole archive before anything is written.
func (p *putting) check(open func() (io.ReadCloser, error)) error {
	p.gvks = map[string]schema.GroupVersionKind{namespaces.Kind: namespaces, counters.Kind: counters}
	for _, k := range kinds {
		p.gvks[k.gvk.Kind] = k.gvk
	}
	in, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	p.out.Head, _, err = read(in, func(kind string, doc []byte) error {
		if _, ok := p.gvks[kind]; !ok {
			return fmt.Errorf("the archive has objects of the kind %s, which this program does not know: use a later release", kind)
		}
		if kind != namespaces.Kind && kind != counters.Kind {
			return nil
		}
		some, err := unlines(doc)
		if kind == namespaces.Kind {
			p.first = append(some, p.first...)
		} else {
			p.first = append(p.first, some...)
		}
		return err
	}, nil)
	if err != nil {
		return err
	}
	h := p.out.Head
	switch {
	case h.SystemNamespace != p.SystemNamespace:
		return fmt.Errorf("the archive is of an installation in the namespace %s, not %s: install it there, and set --system-namespace %s", h.SystemNamespace, p.SystemNamespace, h.SystemNamespace)
	case h.Files && p.Files == nil:
		p.say("the archive contains files, which are not restored: set --blobs to restore them")
	case !h.Files && p.Files != nil:
		return errors.New("the archive contains no files: omit --blobs, and restore the files with the tools of the store")
	}
	return nil
}

// known returns an error if the cluster lacks one of the kinds.
func (p *putting) known(ctx context.Context) error {
	for _, k := range kinds {
		if err := p.Client.List(ctx, list(k.gvk), client.Limit(1)); err != nil {
			return fmt.Errorf("looking for the kind %s: install Reelops before restoring into it: %w", k.gvk.Kind, err)
		}
	}
	return nil
}

// empty returns ErrNotEmpty if the cluster has an object that is neither from this archive nor part of the starter set.
// Secrets are not checked.
func (p *putting) empty(ctx context.Context) error {
	for _, k := range kinds {
		if k.gvk.Kind == kindSecret {
			continue
		}
		err := pages(ctx, p.Client, k.gvk, func(some []unstructured.Unstructured) error {
			for i := range some {
				if !p.restored(&some[i]) && !starter(&some[i]) {
					return fmt.Errorf("%w: %s %s exists in %s", ErrNotEmpty, k.gvk.Kind, some[i].GetName(), some[i].GetNamespace())
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// restored reports whether an object was created by this restore.
func (p *putting) restored(u *unstructured.Unstructured) bool {
	mark, ok := recreate.MarkOf(u, annotationRestore)
	return ok && mark.Source == p.out.Head.ID
}

// objects restores the pages in order: owners precede the objects that they own.
func (p *putting) objects(ctx context.Context, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	_, _, err = read(in, func(kind string, doc []byte) error {
		if kind == namespaces.Kind || kind == counters.Kind {
			return nil
		}
		some, err := unlines(doc)
		if err != nil {
			return err
		}
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(workers)
		for _, u := range some {
			work.Go(func() error {
				if err := p.one(ctx, u); err != nil {
					return fmt.Errorf("restoring the %s %s in %s: %w", kind, u.GetName(), u.GetNamespace(), err)
				}
				return nil
			})
		}
		return work.Wait()
	}, func(key string, size int64, r io.Reader) error { return p.file(ctx, key, size, r) })
	return err
}

// file restores a file of the store.
func (p *putting) file(ctx context.Context, key string, size int64, r io.Reader) error {
	if p.Files == nil {
		return nil
	}
	there, err := p.Files.Size(ctx, key)
	switch {
	case err == nil && there == size: // an earlier run wrote it
	case err == nil && p.into:
		return nil // the file belongs to an existing object, which must not change
	default:
		if err := p.Files.Put(ctx, key, blob.ContentType(key), r); err != nil {
			return err
		}
	}
	p.out.Files++
	return nil
}

// one restores an object and its status. Objects whose owners are not restored are counted as orphans and skipped.
func (p *putting) one(ctx context.Context, u *unstructured.Unstructured) error {
	p.mu.Lock()
	a, ok := adapt(u, p.out.Head.ID, p.owners, p.Clock.Now(), p.send || p.out.Head.Retired)
	p.mu.Unlock()
	if !ok {
		p.count(func() { p.out.Orphans++ })
		return nil
	}
	made, mine, err := p.create(ctx, a)
	if err != nil {
		return err
	}
	p.count(func() {
		if names[u.GetKind()] {
			p.owners[a.UID] = made.GetUID()
		}
		if mine {
			p.out.Restored[u.GetKind()]++
			if a.Object.GetLabels()[v1beta1.LabelSuspendedBy] == SuspendedByRestore {
				p.out.Suspended++
			}
		} else {
			p.out.There++
		}
	})
	return nil
}

func (p *putting) count(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// create creates an object with its status, or returns the existing one. mine reports whether this restore created it,
// now or in an earlier run.
func (p *putting) create(ctx context.Context, a recreate.Copy) (made *unstructured.Unstructured, mine bool, err error) {
	made, err = recreate.Create(ctx, p.Client, a)
	var taken *recreate.TakenError
	if !errors.As(err, &taken) {
		return made, true, err
	}
	if !starter(taken.Existing) || !starter(a.Object) {
		return taken.Existing, false, nil
	}
	// Reelops created a new starter object before the restore. Replace it with the archived one, whose ID callers know.
	if err := p.remove(ctx, taken.Existing); err != nil {
		return nil, false, err
	}
	made, err = recreate.Create(ctx, p.Client, a)
	return made, true, err
}

// remove deletes an object immediately by clearing its finalizers. Its files remain: they are few and can be rendered
// again.
func (p *putting) remove(ctx context.Context, u *unstructured.Unstructured) error {
	if err := p.Client.Delete(ctx, u); err != nil {
		return client.IgnoreNotFound(err)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := p.Client.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return client.IgnoreNotFound(err)
		}
		u.SetFinalizers(nil)
		return client.IgnoreNotFound(p.Client.Update(ctx, u))
	})
}

// begin restores a namespace, or advances an ID counter.
func (p *putting) begin(ctx context.Context, u *unstructured.Unstructured) error {
	fresh := bare(u.GroupVersionKind())
	fresh.SetNamespace(u.GetNamespace())
	fresh.SetName(u.GetName())
	fresh.SetLabels(u.GetLabels())
	if u.GetKind() == counters.Kind {
		fresh.Object["data"] = u.Object["data"]
	}
	err := p.Client.Create(ctx, fresh)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		now := bare(u.GroupVersionKind())
		if err := p.Client.Get(ctx, client.ObjectKeyFromObject(u), now); err != nil {
			return err
		}
		before := now.DeepCopy()
		if u.GetKind() == counters.Kind {
			if err := forward(now, u); err != nil {
				return err
			}
		} else {
			merge(now, u)
		}
		return p.Client.Patch(ctx, now, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
}

// merge adds the archived labels that a namespace lacks. Existing labels are not changed.
func merge(now, was *unstructured.Unstructured) {
	labels := now.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	for k, v := range was.GetLabels() {
		if _, ok := labels[k]; !ok {
			labels[k] = v
		}
	}
	now.SetLabels(labels)
}

// forward sets a counter to the archived value if that is higher. The values are decimal strings without leading zeros,
// so that the longer one is higher, and strings of equal length compare lexically.
func forward(now, was *unstructured.Unstructured) error {
	a, _, err1 := unstructured.NestedString(now.Object, "data", "next")
	b, _, err2 := unstructured.NestedString(was.Object, "data", "next")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if len(b) > len(a) || len(b) == len(a) && strings.Compare(b, a) > 0 {
		return unstructured.SetNestedField(now.Object, b, "data", "next")
	}
	return nil
}

// release makes the restored objects visible to the manager and the front end, and records the origin of each object.
func (p *putting) release(ctx context.Context) error {
	for _, name := range releases {
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(workers)
		err := pages(ctx, p.Client, p.gvks[name], func(some []unstructured.Unstructured) error {
			for i := range some {
				u := &some[i]
				if !p.restored(u) {
					continue
				}
				work.Go(func() error {
					err := recreate.Release(ctx, p.Client, u, annotationRestore)
					if err != nil {
						return fmt.Errorf("finishing the %s %s in %s: %w", u.GetKind(), u.GetName(), u.GetNamespace(), err)
					}
					return nil
				})
			}
			return nil
		}, client.HasLabels{v1beta1.LabelRestoring})
		if err := errors.Join(err, work.Wait()); err != nil {
			return err
		}
		if n := p.out.Restored[name]; n > 0 {
			p.say("%s: %d", name, n)
		}
	}
	return nil
}
