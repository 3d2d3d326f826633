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

// Slideshows takes the events of the informer of Slideshow.
func (x *Shorts) Slideshows() cache.ResourceEventHandler {
	return feed[*v1beta1.Slideshow]{
		x, func(a *account, id int64, o *v1beta1.Slideshow) { a.enter(id, o) }, func(a *account, id int64, o *v1beta1.Slideshow) { a.leave(id, o) },
	}
}

// Videos takes the events of the informer of Video.
func (x *Shorts) Videos() cache.ResourceEventHandler {
	return feed[*v1beta1.Video]{
		x, func(a *account, id int64, o *v1beta1.Video) { a.enter(id, o) }, func(a *account, id int64, o *v1beta1.Video) { a.leave(id, o) },
	}
}

// RenderJobs takes the events of the informer of RenderJob.
func (x *Shorts) RenderJobs() cache.ResourceEventHandler {
	return feed[*v1beta1.RenderJob]{x, (*account).addRender, (*account).dropRender}
}

// feed turns the events of one kind into changes of an account. Events of different kinds come in any order.
type feed[O client.Object] struct {
	x    *Shorts
	put  func(a *account, id int64, o O)
	drop func(a *account, id int64, o O)
}

// OnAdd takes a new object.
func (f feed[O]) OnAdd(o any, _ bool) { f.change(nil, o) }

// OnUpdate takes an object that was changed.
func (f feed[O]) OnUpdate(old, o any) { f.change(old, o) }

// OnDelete takes an object that is gone.
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
		// An object that stays under its id is changed in place below.
		if id := idOf(before); id != 0 && (!has || idOf(after) != id) {
			f.x.within(before.GetNamespace(), func(a *account) { f.drop(a, id, before) })
		}
	}
	if has {
		if id := idOf(after); id != 0 {
			f.x.within(after.GetNamespace(), func(a *account) { f.put(a, id, after) })
		}
	}
	f.x.mu.Unlock()
	// Only now can a reader who waits find it.
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

// within changes an account and forgets it when nothing is left.
func (x *Shorts) within(namespace string, change func(*account)) {
	a := x.accounts[namespace]
	if a == nil {
		a = &account{
			shorts: map[int64]*entry{}, brands: map[string]*Tree[*entry]{},
			rivals: map[int64][]client.Object{}, homeless: map[int64][]v1beta1.RenderJob{},
		}
		x.accounts[namespace] = a
	}
	x.total -= len(a.shorts)
	change(a)
	x.total += len(a.shorts)
	if len(a.shorts) == 0 && len(a.homeless) == 0 {
		delete(x.accounts, namespace)
	}
}

// createdAt is when an object was first made, in seconds since 1970.
func createdAt(o client.Object) int64 { return v1beta1.CreatedAt(o).Unix() }

// idOf is the short id that an object has or belongs to; 0 while it has none.
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

// enter puts a slideshow or a video into the lists, or brings it up to date there. Of several that claim one id the oldest has
// it.
func (a *account) enter(id int64, o client.Object) {
	claims := slices.DeleteFunc(a.claims(id), func(s client.Object) bool { return same(s, o) })
	a.decide(id, append(claims, o))
}

// leave takes a slideshow or a video out of the lists. Another that claims its id may move up.
func (a *account) leave(id int64, o client.Object) {
	a.decide(id, slices.DeleteFunc(a.claims(id), func(s client.Object) bool { return same(s, o) }))
}

// same says that two are states of one object. Kinds have names of their own.
func same(s, t client.Object) bool {
	return s.GetName() == t.GetName() && shortKind(s) == shortKind(t)
}

// claims are all who claim an id.
func (a *account) claims(id int64) []client.Object {
	var out []client.Object
	if e := a.shorts[id]; e != nil {
		out = append(out, e.object)
	}
	return append(out, a.rivals[id]...)
}

func (a *account) decide(id int64, claims []client.Object) {
	slices.SortFunc(claims, func(s, t client.Object) int {
		since := v1beta1.CreatedAt(s)
		return cmp.Or(since.Compare(v1beta1.CreatedAt(t).Time), cmp.Compare(s.GetName(), t.GetName()), cmp.Compare(shortKind(s), shortKind(t)))
	})
	delete(a.rivals, id)
	if len(claims) > 1 {
		a.rivals[id] = claims[1:]
	}
	e := a.shorts[id]
	if e != nil && (len(claims) == 0 || !same(claims[0], e.object)) {
		a.unfile(e)
		delete(a.shorts, id)
		all := slices.Concat(a.homeless[id], e.renders)
		renders.Sort(all)
		a.setHomeless(id, all)
		e = nil
	}
	if len(claims) == 0 {
		return
	}
	if e == nil {
		e = &entry{}
		mine, others := divide(a.homeless[id], claims[0])
		e.renders = mine
		a.setHomeless(id, others)
		a.shorts[id] = e
	}
	a.file(e, id, claims[0])
}

// file puts an entry where its object belongs, if it is not there already.
func (a *account) file(e *entry, id int64, o client.Object) {
	since := v1beta1.CreatedAt(o)
	key := Key{Created: since.Unix(), ID: id}
	brand, class := brandAndClass(o)
	stays := e.object != nil && e.key == key && e.brand == brand && e.class == class
	if e.object != nil && !stays {
		a.unfile(e)
	}
	e.key, e.brand, e.class, e.object = key, brand, class, o
	if stays {
		return
	}
	tree := a.brands[brand]
	if tree == nil {
		tree = NewTree[*entry](len(types) * len(statuses))
		a.brands[brand] = tree
	}
	tree.Set(key, class, e)
}

func (a *account) unfile(e *entry) {
	tree := a.brands[e.brand]
	tree.Delete(e.key)
	if tree.Count(Every) == 0 {
		delete(a.brands, e.brand)
	}
}

// brandAndClass of a short: of the class the type comes first.
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

// addRender puts a render to the short it was made from. A new object under an old name may have another source, so what
// bears the name goes first.
func (a *account) addRender(id int64, r *v1beta1.RenderJob) {
	a.dropRender(id, r)
	if e := a.shorts[id]; e != nil && rendered(r, e.object) {
		e.renders = with(e.renders, r)
		return
	}
	a.homeless[id] = with(a.homeless[id], r)
}

func (a *account) dropRender(id int64, r *v1beta1.RenderJob) {
	if e := a.shorts[id]; e != nil {
		e.renders = without(e.renders, r.Name)
	}
	a.setHomeless(id, without(a.homeless[id], r.Name))
}

func (a *account) setHomeless(id int64, renders []v1beta1.RenderJob) {
	if len(renders) == 0 {
		delete(a.homeless, id)
		return
	}
	a.homeless[id] = renders
}

// with and without make new lists: a reader may have the old one.
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

// rendered says that a render was made from an object.
func rendered(r *v1beta1.RenderJob, o client.Object) bool {
	return r.Spec.Source.Name == o.GetName() && cmp.Or(r.Spec.Source.Kind, kindSlideshow) == shortKind(o)
}

// divide parts the renders of one source from those of others: a copied manifest has renders of its own under one id.
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

// held is the object of the index under the name and id of another, or nil.
func (x *Shorts) held(o client.Object) client.Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a, id := x.accounts[o.GetNamespace()], idOf(o)
	if a == nil {
		return nil
	}
	if r, ok := o.(*v1beta1.RenderJob); ok {
		lists := [][]v1beta1.RenderJob{a.homeless[id]}
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
