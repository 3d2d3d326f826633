// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recreate"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/store/archive"
)

// restore restores the shorts that the spec requests, and removes the requests. A short that cannot be restored stays
// in the archive, and its request is removed with an event.
func (p *pass) restore(ctx context.Context) error {
	if len(p.archive.Spec.Restore) == 0 {
		return nil
	}
	var failed []error
	requested := slices.Clone(p.archive.Spec.Restore) // a write of the status can add others
	for _, id := range requested {
		failed = append(failed, p.tryRestore(ctx, id))
	}
	if err := errors.Join(failed...); err != nil {
		return err // the requests stay until all are done
	}
	// A request that was added meanwhile changes the resourceVersion: the next pass repeats this one, which then finds
	// nothing to do.
	return p.request(ctx, func(a *v1beta1.Archive) {
		a.Spec.Restore = slices.DeleteFunc(a.Spec.Restore, func(id int64) bool { return slices.Contains(requested, id) })
	})
}

// request writes a change of the spec or of the annotations of the archive.
func (p *pass) request(ctx context.Context, change func(*v1beta1.Archive)) error {
	before := p.archive.DeepCopy()
	change(p.archive)
	err := p.Client.Patch(ctx, p.archive, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	p.w = status.Begin(p.Client, p.archive)
	return err
}

// tryRestore restores a short. If that is impossible, it reports an event and returns nil.
func (p *pass) tryRestore(ctx context.Context, id int64) error {
	err := p.restoreOne(ctx, id)
	var taken *recreate.TakenError
	switch {
	case errors.As(err, &taken), errors.Is(err, archive.ErrDamaged):
		p.Events.Eventf(p.archive, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Restore",
			"short %d was not restored: %v", id, err)
	case err != nil:
		return fmt.Errorf("restoring the short %d: %w", id, err)
	}
	return nil
}

// restoreOne creates the objects of a short again, removes it from its segment, and makes the objects visible. Each
// step can be repeated.
func (p *pass) restoreOne(ctx context.Context, id int64) error {
	var damaged error
	// A segment from which the short was removed matters only if none holds it: that removal may have been part of a
	// restore that was interrupted.
	for _, removed := range []bool{false, true} {
		restored := false
		for i := range p.archive.Status.Segments {
			s := &p.archive.Status.Segments[i]
			if slices.Contains(s.Removed, id) != removed {
				continue
			}
			held, err := p.restoreFrom(ctx, s, id)
			if errors.Is(err, archive.ErrDamaged) {
				damaged = err
			} else if err != nil {
				return err
			}
			restored = restored || held
		}
		if restored {
			return nil // the damaged segment need not concern it
		}
	}
	return damaged
}

// restoreFrom restores a short from a segment, and reports whether the segment held it.
func (p *pass) restoreFrom(ctx context.Context, s *v1beta1.ArchiveSegment, id int64) (bool, error) {
	if !p.archive.Holds(s, id) {
		return false, nil
	}
	row, err := p.rowOf(ctx, s, id)
	if err != nil || row < 0 {
		return false, err
	}
	d, err := p.unitOf(ctx, s, row, id)
	switch {
	case err != nil:
		return false, err
	case s.Phase == v1beta1.ArchiveHiding:
		return true, p.keep(ctx, s, d)
	case s.Phase == v1beta1.ArchiveDeleting:
		// Otherwise the restore would find the hidden objects, which are deleted afterwards.
		if err := p.deleteSegment(ctx, s); err != nil {
			return true, err
		}
	}
	return true, p.recreate(ctx, s, d)
}

// rowOf returns the number of the row of a short in a segment; -1 if there is none.
func (p *pass) rowOf(ctx context.Context, s *v1beta1.ArchiveSegment, id int64) (int, error) {
	keys, err := p.Store.ShortKeys(ctx, p.archive.Namespace, s)
	if err != nil {
		return -1, fmt.Errorf("reading the segment %s: %w", s.Name, err)
	}
	return slices.IndexFunc(keys, func(k archive.ShortKey) bool { return k.ID == id }), nil
}

// unitOf returns the short in a row with its posts.
func (p *pass) unitOf(ctx context.Context, s *v1beta1.ArchiveSegment, row int, id int64) (*decoded, error) {
	shorts, err := p.Store.Shorts(ctx, p.archive.Namespace, s, []int{row})
	if err != nil {
		return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
	}
	keys, err := p.Store.PostKeys(ctx, p.archive.Namespace, s)
	if err != nil {
		return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
	}
	var rows []int
	for i := range keys {
		if keys[i].ShortID == id {
			rows = append(rows, i)
		}
	}
	var posts []archive.Post
	if len(rows) > 0 {
		if posts, err = p.Store.Posts(ctx, p.archive.Namespace, s, rows); err != nil {
			return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
		}
	}
	units, err := decode(shorts, posts)
	if err != nil {
		return nil, err
	}
	return units[0], nil
}

// recreate creates the objects of a short, removes it from its segment, and then shows the objects. An interrupted
// restore is repeated: before the removal it finds the objects that it created, after it only has to show them. A short
// that was removed from its segment for another reason is in view, and is left as it is.
func (p *pass) recreate(ctx context.Context, s *v1beta1.ArchiveSegment, d *decoded) error {
	if !slices.Contains(s.Removed, d.ID) {
		for _, o := range d.objects() {
			if err := p.available(ctx, o); err != nil {
				return err
			}
		}
		if err := p.create(ctx, d); err != nil {
			return err
		}
		remove(s, d.ID)
		if err := p.persist(ctx); err != nil {
			return err
		}
		p.count("restored", 1)
	}
	// What belongs to a short becomes visible before it, as in a restore from a backup: a controller that sees a short
	// without its renders would render again.
	for _, o := range slices.Backward(d.objects()) {
		if err := p.release(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// release shows an object that was created from a stored one. Others, and objects that are in view, stay as they are.
func (p *pass) release(ctx context.Context, stored client.Object) error {
	now, err := p.present(ctx, stored)
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	if mark, ok := recreate.MarkOf(now, v1beta1.AnnotationRecalled); !ok || mark.UID != v1beta1.Origin(stored) {
		return nil
	}
	return client.IgnoreNotFound(recreate.Release(ctx, p.Client, now, v1beta1.AnnotationRecalled))
}

// available returns a TakenError if an object that was not created from a stored one has its name. It is checked before
// anything is created, so that a restore creates all objects or none.
func (p *pass) available(ctx context.Context, stored client.Object) error {
	now, err := p.present(ctx, stored)
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	origin := v1beta1.Origin(stored)
	mark, _ := recreate.MarkOf(now, v1beta1.AnnotationRecalled)
	if v1beta1.Origin(now) == origin || mark.UID == origin {
		return nil
	}
	return &recreate.TakenError{Existing: now}
}

// present returns the object with the kind and name of a stored one, as the API server has it.
func (p *pass) present(ctx context.Context, stored client.Object) (*unstructured.Unstructured, error) {
	now := &unstructured.Unstructured{}
	now.SetGroupVersionKind(stored.GetObjectKind().GroupVersionKind())
	return now, p.Live.Get(ctx, client.ObjectKeyFromObject(stored), now)
}

// create creates the objects of a short, hidden, owners first. An object that is in the cluster already stays as it is.
func (p *pass) create(ctx context.Context, d *decoded) error {
	source := recreate.Source{Annotation: v1beta1.AnnotationRecalled, ID: strconv.FormatInt(d.ID, 10)}
	owners := map[types.UID]types.UID{}
	for _, o := range d.objects() {
		u, err := unstructuredOf(o)
		if err != nil {
			return err
		}
		c, ok := source.Prepare(u, owners)
		if !ok {
			continue // its owner was not archived with it
		}
		created, err := recreate.Create(ctx, p.Client, c)
		var taken *recreate.TakenError
		if errors.As(err, &taken) && taken.Same {
			created, err = taken.Existing, nil
		}
		if err != nil {
			return err
		}
		owners[c.UID] = created.GetUID()
	}
	return nil
}

// unstructuredOf returns a stored object as unstructured content.
func unstructuredOf(stored client.Object) (*unstructured.Unstructured, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(stored)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", archive.ErrDamaged, err)
	}
	return &unstructured.Unstructured{Object: fields}, nil
}
