// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
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
	var lost []string
	back := map[int64]bool{}
	for i, s := range p.segments(v1beta1.ArchiveHiding) {
		if i > 0 && p.late() {
			wait = minInterval / 10
			break
		}
		left, err := p.hideSegment(ctx, s, back)
		if errors.Is(err, archive.ErrDamaged) {
			lost = append(lost, s.Name)
		} else {
			failed = append(failed, err)
		}
		if left > 0 && (wait == 0 || left < wait) {
			wait = left
		}
	}
	if err := errors.Join(failed...); err != nil {
		return 0, err
	}
	if err := p.drop(ctx, lost); err != nil {
		return 0, err
	}
	return wait, p.requestRestores(ctx, back)
}

// hideSegment adds the units that cannot leave to back.
func (p *pass) hideSegment(
	ctx context.Context, s *v1beta1.ArchiveSegment, back map[int64]bool,
) (time.Duration, error) {
	now, grace := p.Clock.Now(), cmp.Or(p.Grace, defaultGrace)
	d := p.departures.get(p.key(s), now)
	if left := latest(d.listed, d.hidden).Add(grace).Sub(now); left > 0 {
		return left, nil
	}
	units, err := p.read(ctx, s)
	if err != nil {
		return 0, err
	}
	before := len(back)
	if d.hidden.IsZero() {
		if err := p.hideAll(ctx, s, units, back, isOwner); err != nil {
			return 0, err
		}
		d.hidden = p.Clock.Now() // the requests to hide may have taken long
		return grace, nil
	}
	if err := p.addShown(ctx, s, units, back); err != nil {
		return 0, err
	}
	if err := p.addChanged(ctx, units, back); err != nil {
		return 0, err
	}
	if err := p.hideAll(ctx, s, units, back, func(o client.Object) bool { return !isOwner(o) }); err != nil {
		return 0, err
	}
	if len(back) > before {
		return minInterval, nil // the others wait until these are back
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

// ownerLists returns empty lists of the kinds that isOwner reports.
func ownerLists() []client.ObjectList {
	return []client.ObjectList{&v1beta1.PostBatchList{}, &v1beta1.SlideshowList{}, &v1beta1.VideoList{}}
}

// hideAll hides the objects of units. A unit of which an object has changed, or was deleted, is added to back.
func (p *pass) hideAll(
	ctx context.Context, s *v1beta1.ArchiveSegment, units []*decoded, back map[int64]bool,
	which func(client.Object) bool,
) error {
	for _, d := range units {
		for _, o := range d.objects() {
			if back[d.ID] || !which(o) {
				continue
			}
			ok, err := p.hideOne(ctx, o, markOf(s, d.ID))
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
func (p *pass) hideOne(ctx context.Context, stored client.Object, mark string) (bool, error) {
	o := stored.DeepCopyObject().(client.Object)
	labels := maps.Clone(o.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1beta1.LabelArchived] = mark
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
	return isHidden(now, stored, mark), nil
}

// addShown adds the units to back of which an owner is no longer hidden as it was stored: it was changed, or deleted,
// while the unit was leaving.
func (p *pass) addShown(
	ctx context.Context, s *v1beta1.ArchiveSegment, units []*decoded, back map[int64]bool,
) error {
	all, err := hiddenObjects(ctx, p.Live, ownerLists(), client.InNamespace(p.archive.Namespace))
	if err != nil {
		return err
	}
	hidden := make(map[types.UID]client.Object, len(all))
	for _, o := range all {
		hidden[o.GetUID()] = o
	}
	for _, d := range units {
		for _, o := range d.objects() {
			if isOwner(o) && !isHidden(hidden[o.GetUID()], o, markOf(s, d.ID)) {
				back[d.ID] = true
			}
		}
	}
	return nil
}

// isHidden reports whether an object, as it is now, is the stored one with a mark, and has not changed otherwise. It is
// nil if there is none.
func isHidden(now, stored client.Object, mark string) bool {
	return now != nil && now.GetUID() == stored.GetUID() && now.GetGeneration() == stored.GetGeneration() &&
		now.GetLabels()[v1beta1.LabelArchived] == mark
}

// addChanged adds the units to back that have an object in view which their segment does not hold: it was created while
// the unit was leaving.
func (p *pass) addChanged(ctx context.Context, units []*decoded, back map[int64]bool) error {
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

// requestRestores requests the restore of units that cannot leave. The request keeps their rows valid until they are in
// view.
func (p *pass) requestRestores(ctx context.Context, back map[int64]bool) error {
	if len(back) == 0 {
		return nil
	}
	err := p.request(ctx, func(a *v1beta1.Archive) {
		ids := compactIDs(slices.AppendSeq(a.Spec.Restore, maps.Keys(back)))
		a.Spec.Restore = ids[:min(len(ids), v1beta1.MaxArchiveRestores)] // a later pass finds the others again
	})
	if err != nil {
		return fmt.Errorf("requesting the restore of shorts that cannot leave: %w", err)
	}
	p.count("kept", len(back))
	return nil
}

// keep removes a unit from a segment that hides it, and then shows its objects. In this order, a manager with an older
// status of the archive fails before it shows what another one deletes already.
func (p *pass) keep(ctx context.Context, s *v1beta1.ArchiveSegment, d *decoded) error {
	if !slices.Contains(s.Removed, d.ID) {
		remove(s, d.ID)
		if err := p.persist(ctx); err != nil {
			return err
		}
	}
	for _, o := range slices.Backward(d.objects()) { // as in recreate
		if err := p.show(ctx, o, markOf(s, d.ID)); err != nil {
			return err
		}
	}
	return nil
}

// show makes an object visible that its segment has hidden, with its finalizers. It also writes an object that the
// segment could still hide. Others, and an object that does not exist, stay as they are.
func (p *pass) show(ctx context.Context, stored client.Object, mark string) error {
	now := stored.DeepCopyObject().(client.Object)
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(stored), now); err != nil {
		return client.IgnoreNotFound(err)
	}
	hidden := now.GetLabels()[v1beta1.LabelArchived] == mark
	if now.GetUID() != stored.GetUID() || !hidden && now.GetResourceVersion() != stored.GetResourceVersion() {
		return nil
	}
	return unhide(ctx, p.Client, now, mark, stored.GetFinalizers())
}

// unhide makes an object visible, with finalizers, if it has not changed.
func unhide(ctx context.Context, c client.Client, o client.Object, mark string, finalizers []string) error {
	before := o.DeepCopyObject().(client.Object)
	labels, notes := o.GetLabels(), o.GetAnnotations()
	delete(labels, v1beta1.LabelArchived)
	if notes == nil {
		notes = map[string]string{}
	}
	notes[v1beta1.AnnotationKept] = mark
	o.SetLabels(labels)
	o.SetAnnotations(notes)
	o.SetFinalizers(finalizers)
	err := c.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err)
}

// delete deletes the objects of segments of which everything is hidden.
func (p *pass) delete(ctx context.Context) error {
	var failed []error
	for i, s := range p.segments(v1beta1.ArchiveDeleting) {
		if i > 0 && p.late() {
			break
		}
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
