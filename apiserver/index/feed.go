// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"
	"strconv"

	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/film/renders"
)

// Slideshows returns the handler of Slideshow events.
func (x *Shorts) Slideshows() cache.ResourceEventHandler {
	return feed[*v1beta1.Slideshow]{
		x, func(a *account, id int64, o *v1beta1.Slideshow) { a.put(id, o) }, func(a *account, id int64, o *v1beta1.Slideshow) { a.leave(id, o) },
	}
}

// Videos returns the handler of Video events.
func (x *Shorts) Videos() cache.ResourceEventHandler {
	return feed[*v1beta1.Video]{
		x, func(a *account, id int64, o *v1beta1.Video) { a.put(id, o) }, func(a *account, id int64, o *v1beta1.Video) { a.leave(id, o) },
	}
}

// RenderJobs returns the handler of RenderJob events.
func (x *Shorts) RenderJobs() cache.ResourceEventHandler {
	return feed[*v1beta1.RenderJob]{x, (*account).addRender, (*account).dropRender}
}

// feed turns the events of one kind into changes of an account. Events of different kinds may arrive in any order.
type feed[O client.Object] struct {
	x    *Shorts
	put  func(a *account, id int64, o O)
	drop func(a *account, id int64, o O)
}

// OnAdd handles a new object.
func (f feed[O]) OnAdd(o any, _ bool) { f.change(nil, o) }

// OnUpdate handles a changed object.
func (f feed[O]) OnUpdate(old, o any) { f.change(old, o) }

// OnDelete handles a deleted object.
func (f feed[O]) OnDelete(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	f.change(o, nil)
}

// change replaces old by now; either may be nil.
func (f feed[O]) change(old, now any) {
	before, had := old.(O)
	after, has := now.(O)
	if had && has && before.GetResourceVersion() == after.GetResourceVersion() {
		return // a resync
	}
	f.x.mu.Lock()
	if had {
		// An object that keeps its id is changed in place below.
		if id := idOf(before); id != 0 && (!has || idOf(after) != id) {
			f.x.within(before.GetNamespace(), func(a *account) { f.drop(a, id, before) })
			f.x.archived.show(before.GetNamespace(), id)
		}
	}
	if has {
		if id := idOf(after); id != 0 {
			f.x.within(after.GetNamespace(), func(a *account) { f.put(a, id, after) })
			f.x.archived.show(after.GetNamespace(), id)
		}
	}
	f.x.mu.Unlock()
	// Notify waiting readers after the lists have changed.
	if has {
		f.x.writes.seen(after, false)
		f.x.took.note(after)
		f.x.watches.wake(after.GetNamespace(), idOf(after))
	}
	if had {
		if !has {
			f.x.writes.seen(before, true)
		}
		f.x.watches.wake(before.GetNamespace(), idOf(before))
	}
}

// within changes an account, and removes it if it is empty afterwards.
func (x *Shorts) within(namespace string, change func(*account)) {
	a := x.accounts[namespace]
	if a == nil {
		a = &account{
			shorts: map[int64]*entry{}, brands: map[string]*shelf[*entry]{},
			duplicates: map[int64][]client.Object{}, orphaned: map[int64][]v1beta1.RenderJob{},
		}
		x.accounts[namespace] = a
	}
	x.total -= len(a.shorts)
	change(a)
	x.total += len(a.shorts)
	if len(a.shorts) == 0 && len(a.orphaned) == 0 {
		delete(x.accounts, namespace)
	}
}

// createdAt returns when an object was first created, in seconds since 1970.
func createdAt(o client.Object) int64 { return v1beta1.CreatedAt(o).Unix() }

// idOf returns the short id of an object, or of the short that it belongs to; 0 if there is none.
func idOf(o client.Object) int64 {
	label := v1beta1.LabelID
	if _, ok := o.(*v1beta1.RenderJob); ok {
		label = v1beta1.LabelShort
	}
	id, err := strconv.ParseInt(o.GetLabels()[label], 10, 64)
	if err != nil || id < 1 {
		return 0
	}
	return id
}

// put lists a slideshow or a video. One that is being deleted is not listed while it waits for its finalizer.
func (a *account) put(id int64, o client.Object) {
	if o.GetDeletionTimestamp() != nil {
		a.leave(id, o)
		return
	}
	a.enter(id, o)
}

// enter adds a slideshow or a video to the lists, or updates it there. Of several objects with one id the oldest is
// listed.
func (a *account) enter(id int64, o client.Object) {
	claims := slices.DeleteFunc(a.claims(id), func(s client.Object) bool { return same(s, o) })
	a.decide(id, append(claims, o))
}

// leave removes a slideshow or a video from the lists. Another object with its id may then be listed.
func (a *account) leave(id int64, o client.Object) {
	a.decide(id, slices.DeleteFunc(a.claims(id), func(s client.Object) bool { return same(s, o) }))
}

// same reports whether two values are states of one object. Names are unique within a kind.
func same(s, t client.Object) bool {
	return s.GetName() == t.GetName() && shortKind(s) == shortKind(t)
}

// claims returns all objects with an id, the listed one first.
func (a *account) claims(id int64) []client.Object {
	var out []client.Object
	if e := a.shorts[id]; e != nil {
		out = append(out, e.object)
	}
	return append(out, a.duplicates[id]...)
}

func (a *account) decide(id int64, claims []client.Object) {
	slices.SortFunc(claims, func(s, t client.Object) int {
		since := v1beta1.CreatedAt(s)
		return cmp.Or(since.Compare(v1beta1.CreatedAt(t).Time), cmp.Compare(s.GetName(), t.GetName()), cmp.Compare(shortKind(s), shortKind(t)))
	})
	delete(a.duplicates, id)
	if len(claims) > 1 {
		a.duplicates[id] = claims[1:]
	}
	e := a.shorts[id]
	if e != nil && (len(claims) == 0 || !same(claims[0], e.object)) {
		a.unfile(e)
		delete(a.shorts, id)
		all := slices.Concat(a.orphaned[id], e.renders)
		renders.Sort(all)
		a.setOrphaned(id, all)
		e = nil
	}
	if len(claims) == 0 {
		return
	}
	if e == nil {
		e = &entry{}
		mine, others := divide(a.orphaned[id], claims[0])
		e.renders = mine
		a.setOrphaned(id, others)
		a.shorts[id] = e
	}
	a.file(e, id, claims[0])
}

// file inserts an entry into its list, or moves it if its key, brand, class or texts changed.
func (a *account) file(e *entry, id int64, o client.Object) {
	since := v1beta1.CreatedAt(o)
	key := Key{Created: since.Unix(), ID: id}
	brand, class := brandAndClass(o)
	stays := e.object != nil && e.key == key && e.brand == brand && e.class == class && slices.Equal(e.fields(), fieldsOf(o))
	if e.object != nil && !stays {
		a.unfile(e)
	}
	e.key, e.brand, e.class, e.object = key, brand, class, o
	if stays {
		return
	}
	list := a.brands[brand]
	if list == nil {
		list = newShelf[*entry](len(types) * len(statuses))
		a.brands[brand] = list
	}
	list.add(e)
}

func (a *account) unfile(e *entry) {
	list := a.brands[e.brand]
	list.remove(e)
	if list.tree.Count(Every) == 0 {
		delete(a.brands, e.brand)
	}
}

// brandAndClass returns the brand and the class of a short. A class combines type and status, type first.
func brandAndClass(o client.Object) (brand string, class uint8) {
	s := Of(0, o, nil)
	if s.Video != nil {
		brand = s.Video.Spec.BrandRef.Name
	} else {
		brand = s.Show.Spec.BrandRef.Name
	}
	seen := view.Short{Show: s.Show, Video: s.Video}
	return brand, classOf(slices.Index(types, seen.Type()), slices.Index(statuses, seen.Status()))
}

// addRender adds a render to the short it was created from. A new object under an old name may have another source, so
// any object with the name is removed first.
func (a *account) addRender(id int64, r *v1beta1.RenderJob) {
	a.dropRender(id, r)
	if e := a.shorts[id]; e != nil && rendered(r, e.object) {
		e.renders = with(e.renders, r)
		return
	}
	a.orphaned[id] = with(a.orphaned[id], r)
}

func (a *account) dropRender(id int64, r *v1beta1.RenderJob) {
	if e := a.shorts[id]; e != nil {
		e.renders = without(e.renders, r.Name)
	}
	a.setOrphaned(id, without(a.orphaned[id], r.Name))
}

func (a *account) setOrphaned(id int64, renders []v1beta1.RenderJob) {
	if len(renders) == 0 {
		delete(a.orphaned, id)
		return
	}
	a.orphaned[id] = renders
}

// with and without return new slices, because readers may still use the old one.
func with(in []v1beta1.RenderJob, r *v1beta1.RenderJob) []v1beta1.RenderJob {
	all := append(slices.Clone(in), *r)
	renders.Sort(all)
	return all
}

func without(in []v1beta1.RenderJob, name string) []v1beta1.RenderJob {
	named := func(r v1beta1.RenderJob) bool { return r.Name == name }
	if !slices.ContainsFunc(in, named) {
		return in
	}
	return slices.DeleteFunc(slices.Clone(in), named)
}

// rendered reports whether an object is the source of a render.
func rendered(r *v1beta1.RenderJob, o client.Object) bool {
	return r.Spec.Source.Name == o.GetName() && cmp.Or(r.Spec.Source.Kind, kindSlideshow) == shortKind(o)
}

// divide separates the renders of one source from others. A copied manifest has renders of its own under the same id.
func divide(in []v1beta1.RenderJob, source client.Object) (mine, others []v1beta1.RenderJob) {
	for i := range in {
		if rendered(&in[i], source) {
			mine = append(mine, in[i])
		} else {
			others = append(others, in[i])
		}
	}
	return mine, others
}

// held returns the indexed object with the same name and id, or nil.
func (x *Shorts) held(o client.Object) client.Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a, id := x.accounts[o.GetNamespace()], idOf(o)
	if a == nil {
		return nil
	}
	if r, ok := o.(*v1beta1.RenderJob); ok {
		lists := [][]v1beta1.RenderJob{a.orphaned[id]}
		if e := a.shorts[id]; e != nil {
			lists = append(lists, e.renders)
		}
		for _, list := range lists {
			if i := slices.IndexFunc(list, func(h v1beta1.RenderJob) bool { return h.Name == r.Name }); i >= 0 {
				return &list[i]
			}
		}
		return nil
	}
	for _, s := range a.claims(id) {
		if same(s, o) {
			return s
		}
	}
	return nil
}
