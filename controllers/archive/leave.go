// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// departures holds how far segments are on their way out. It is lost with the process: the waits then begin again.
type departures struct {
	mu sync.Mutex
	of map[string]*departure // by namespace and name of the segment
}

// departure is the progress of a segment.
type departure struct {
	// listed is when this process first saw the segment, hidden when its shorts and batches were hidden.
	listed, hidden time.Time
}

// get returns the progress of a segment, which begins now if this process has not seen it before.
func (d *departures) get(key string, now time.Time) *departure {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[string]*departure{}
	}
	if d.of[key] == nil {
		d.of[key] = &departure{listed: now}
	}
	return d.of[key]
}

func (d *departures) forget(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.of, key)
}

func (p *pass) key(s *v1beta1.ArchiveSegment) string { return p.archive.Namespace + "/" + s.Name }

// hide removes the objects of segments from view, the owners first: a controller that sees an owner without its objects
// would create them again. Each step waits for the grace, so that all front ends know the segment before, and requests
// that read a short have ended after. hide returns the time until it can continue; 0 when everything is hidden.
func (p *pass) hide(ctx context.Context) (time.Duration, error) {
	var wait time.Duration
	var failed []error
	for _, s := range p.segments(v1beta1.ArchiveHiding) {
		left, err := p.hideSegment(ctx, s)
		failed = append(failed, err)
		if left > 0 && (wait == 0 || left < wait) {
			wait = left
		}
	}
	return wait, errors.Join(failed...)
}

func (p *pass) hideSegment(ctx context.Context, s *v1beta1.ArchiveSegment) (time.Duration, error) {
	now, grace := p.Clock.Now(), cmp.Or(p.Grace, defaultGrace)
	d := p.departures.get(p.key(s), now)
	if left := latest(d.listed, d.hidden).Add(grace).Sub(now); left > 0 {
		return left, nil
	}
	units, err := p.read(ctx, s)
	if err != nil {
		return 0, err
	}
	back := map[int64]bool{}
	if err := p.hideAll(ctx, units, back, isOwner); err != nil {
		return 0, err
	}
	if d.hidden.IsZero() {
		d.hidden = now
		return grace, p.putBack(ctx, s, units, back)
	}
	if err := p.strangers(ctx, units, back); err != nil {
		return 0, err
	}
	if err := p.hideAll(ctx, units, back, func(o client.Object) bool { return !isOwner(o) }); err != nil {
		return 0, err
	}
	if err := p.putBack(ctx, s, units, back); err != nil {
		return 0, err
	}
	s.Phase = v1beta1.ArchiveDeleting
	if err := p.persist(ctx); err != nil {
		return 0, err
	}
	p.departures.forget(p.key(s))
	return 0, nil
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// isOwner reports whether controllers create other objects of a unit for an object.
func isOwner(o client.Object) bool {
	switch o.(type) {
	case *v1beta1.Slideshow, *v1beta1.Video, *v1beta1.PostBatch:
		return true
	}
	return false
}

// hideAll hides the objects of units. A unit of which an object has changed, or was deleted, is added to back.
func (p *pass) hideAll(
	ctx context.Context, units []*decoded, back map[int64]bool, which func(client.Object) bool,
) error {
	for _, d := range units {
		for _, o := range d.objects() {
			if back[d.ID] || !which(o) {
				continue
			}
			ok, err := p.hideOne(ctx, o, d.ID)
			if err != nil {
				return err
			}
			if !ok {
				back[d.ID] = true
			}
		}
	}
	return nil
}

// unseen is the option of writes that the cache never shows: later reads must not wait for them.
const unseen = client.DisableReadYourWritesConsistency

// hideOne labels an object as archived and removes its finalizers, unless it was changed after it was stored. It
// reports whether the object is hidden.
func (p *pass) hideOne(ctx context.Context, stored client.Object, id int64) (bool, error) {
	o := stored.DeepCopyObject().(client.Object)
	labels := maps.Clone(o.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1beta1.LabelArchived] = strconv.FormatInt(id, 10)
	o.SetLabels(labels)
	o.SetFinalizers(nil)
	err := p.Client.Patch(ctx, o, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}), unseen)
	switch {
	case err == nil:
		return true, nil
	case apierrors.IsNotFound(err):
		return false, nil
	case !apierrors.IsConflict(err):
		return false, fmt.Errorf("hiding %T %s: %w", stored, stored.GetName(), err)
	}
	// It was changed, or an earlier pass has hidden it.
	now := stored.DeepCopyObject().(client.Object)
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(stored), now); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return now.GetUID() == stored.GetUID() && now.GetLabels()[v1beta1.LabelArchived] != "", nil
}

// strangers adds the units to back that have an object in view which their segment does not hold: it was created while
// the unit was leaving.
func (p *pass) strangers(ctx context.Context, units []*decoded, back map[int64]bool) error {
	now, err := gather(ctx, p.Client, p.archive.Namespace)
	if err != nil {
		return err
	}
	for _, d := range units {
		u := now[d.ID]
		if u == nil {
			continue
		}
		known := map[types.UID]bool{}
		for _, o := range d.objects() {
			known[o.GetUID()] = true
		}
		if slices.ContainsFunc(u.objects(), func(o client.Object) bool { return !known[o.GetUID()] }) {
			back[d.ID] = true
		}
	}
	return nil
}

// putBack shows the objects of units again, with their finalizers, and removes the units from the segment.
func (p *pass) putBack(ctx context.Context, s *v1beta1.ArchiveSegment, units []*decoded, back map[int64]bool) error {
	if len(back) == 0 {
		return nil
	}
	for _, d := range units {
		if !back[d.ID] {
			continue
		}
		for _, o := range d.objects() {
			if err := p.show(ctx, o); err != nil {
				return err
			}
		}
	}
	p.count("kept", len(back))
	remove(s, slices.Sorted(maps.Keys(back))...)
	return p.persist(ctx)
}

// show makes an object visible that was hidden, with its finalizers. An object that does not exist is passed over.
func (p *pass) show(ctx context.Context, stored client.Object) error {
	now := stored.DeepCopyObject().(client.Object)
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(stored), now); err != nil {
		return client.IgnoreNotFound(err)
	}
	if now.GetUID() != stored.GetUID() || now.GetLabels()[v1beta1.LabelArchived] == "" {
		return nil
	}
	before := now.DeepCopyObject().(client.Object)
	labels := now.GetLabels()
	delete(labels, v1beta1.LabelArchived)
	now.SetLabels(labels)
	now.SetFinalizers(stored.GetFinalizers())
	err := p.Client.Patch(ctx, now, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err)
}

// delete deletes the objects of segments of which everything is hidden.
func (p *pass) delete(ctx context.Context) error {
	var failed []error
	for _, s := range p.segments(v1beta1.ArchiveDeleting) {
		failed = append(failed, p.deleteSegment(ctx, s))
	}
	return errors.Join(failed...)
}

func (p *pass) deleteSegment(ctx context.Context, s *v1beta1.ArchiveSegment) error {
	units, err := p.read(ctx, s)
	if err != nil {
		return err
	}
	for _, d := range units {
		for _, o := range d.objects() {
			uid := o.GetUID()
			err := p.Client.Delete(ctx, o, client.Preconditions{UID: &uid},
				client.PropagationPolicy(metav1.DeletePropagationBackground), unseen)
			// A conflict is about another object of the name.
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return fmt.Errorf("deleting %T %s: %w", o, o.GetName(), err)
			}
		}
	}
	s.Phase = ""
	if err := p.persist(ctx); err != nil {
		return err
	}
	p.count("archived", len(units))
	return nil
}
