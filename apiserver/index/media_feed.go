// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"

	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
)

// Assets takes the events of the informer of MediaAsset.
func (x *Media) Assets() cache.ResourceEventHandler {
	return mediaFeed[*v1beta1.MediaAsset]{x, (*stock).putAsset, (*stock).dropAsset}
}

// PackObjects takes the events of the informer of MediaPack.
func (x *Media) PackObjects() cache.ResourceEventHandler {
	return mediaFeed[*v1beta1.MediaPack]{x, (*stock).putPack, (*stock).dropPack}
}

// mediaKind names the kinds that lists of media are made of.
func mediaKind(o client.Object) string {
	switch o.(type) {
	case *v1beta1.MediaAsset:
		return "MediaAsset"
	case *v1beta1.MediaPack:
		return "MediaPack"
	}
	return ""
}

// mediaFeed turns the events of one kind into changes of an account. Events of the two kinds come in any order.
type mediaFeed[O client.Object] struct {
	x    *Media
	put  func(*stock, O)
	drop func(*stock, O)
}

// OnAdd takes a new object.
func (f mediaFeed[O]) OnAdd(o any, _ bool) { f.OnUpdate(nil, o) }

// OnUpdate takes an object that was changed. What it was before is known by its name.
func (f mediaFeed[O]) OnUpdate(old, o any) {
	before, had := old.(O)
	after, ok := o.(O)
	if !ok || had && before.GetResourceVersion() == after.GetResourceVersion() {
		return // nothing of ours, or a resync
	}
	f.x.within(after.GetNamespace(), func(s *stock) { f.put(s, after) })
	f.x.writes.seen(after, false) // only now can a reader who waits find it
}

// OnDelete takes an object that is gone.
func (f mediaFeed[O]) OnDelete(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	before, ok := o.(O)
	if !ok {
		return
	}
	f.x.within(before.GetNamespace(), func(s *stock) { f.drop(s, before) })
	f.x.writes.seen(before, true)
}

// within changes an account and forgets it when nothing is left. Readers who have it in hand find it empty then.
func (x *Media) within(namespace string, change func(*stock)) {
	x.feed.Lock()
	defer x.feed.Unlock()
	s := x.account(namespace)
	if s == nil {
		s = &stock{items: map[string]*record{}, claims: map[int64][]*record{}, packs: map[string]*pack{}, shelves: map[place]*shelf{}}
		x.mu.Lock()
		x.accounts[namespace] = s
		x.mu.Unlock()
	}
	s.mu.Lock()
	change(s)
	s.mu.Unlock()
	if len(s.items) == 0 && len(s.packs) == 0 {
		x.mu.Lock()
		delete(x.accounts, namespace)
		x.mu.Unlock()
	}
}

// held is the object under the kind and name of another, or nil.
func (x *Media) held(o client.Object) client.Object {
	s := x.account(o.GetNamespace())
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, ok := o.(*v1beta1.MediaPack); ok {
		if p := s.packs[o.GetName()]; p != nil && p.object != nil {
			return p.object
		}
		return nil
	}
	if r := s.items[o.GetName()]; r != nil {
		return r.asset
	}
	return nil
}

// putAsset takes in an item as it is now.
func (s *stock) putAsset(a *v1beta1.MediaAsset) {
	r := s.items[a.Name]
	if r == nil {
		r = &record{}
		s.items[a.Name] = r
	}
	was := idOf0(r.asset)
	if was != 0 && was != idOf(a) {
		s.release(r, was)
	}
	now := s.packOf(a)
	if r.shelf != nil && r.asset != nil && !s.stays(r, a, now) {
		s.unfile(r)
	}
	if r.pack != now {
		s.leave(r)
		if now != nil {
			now.members[r] = struct{}{}
		}
		r.pack = now
	}
	r.asset = a
	if id := idOf(a); id != 0 {
		s.claim(r, id)
	}
}

// dropAsset forgets an item.
func (s *stock) dropAsset(a *v1beta1.MediaAsset) {
	r := s.items[a.Name]
	if r == nil {
		return
	}
	if id := idOf0(r.asset); id != 0 {
		s.release(r, id)
	}
	s.leave(r)
	delete(s.items, a.Name)
}

func idOf0(a *v1beta1.MediaAsset) int64 {
	if a == nil {
		return 0
	}
	return idOf(a)
}

// packOf is the pack that an item names, known or not.
func (s *stock) packOf(a *v1beta1.MediaAsset) *pack {
	if a.Spec.PackRef == nil {
		return nil
	}
	name := a.Spec.PackRef.Name
	p := s.packs[name]
	if p == nil {
		p = &pack{members: map[*record]struct{}{}}
		s.packs[name] = p
	}
	return p
}

// leave takes an item out of its pack.
func (s *stock) leave(r *record) {
	if r.pack == nil {
		return
	}
	delete(r.pack.members, r)
	if r.pack.object == nil && len(r.pack.members) == 0 {
		delete(s.packs, r.asset.Spec.PackRef.Name)
	}
	r.pack = nil
}

// putPack takes in a pack as it is now. What hangs on it are its title and who sees its items.
func (s *stock) putPack(o *v1beta1.MediaPack) {
	p := s.packs[o.Name]
	if p == nil {
		p = &pack{members: map[*record]struct{}{}}
		s.packs[o.Name] = p
	}
	if old := p.object; old == nil || view.PackTitle(old) != view.PackTitle(o) || brandOf(old) != brandOf(o) || old.DeletionTimestamp.IsZero() != o.DeletionTimestamp.IsZero() {
		s.rearrange(p, o)
	}
	p.object = o
}

func (s *stock) dropPack(o *v1beta1.MediaPack) {
	p := s.packs[o.Name]
	if p == nil {
		return
	}
	s.rearrange(p, nil)
	if len(p.members) == 0 {
		delete(s.packs, o.Name)
	}
}

// rearrange puts the items of a pack where they belong when it is another.
func (s *stock) rearrange(p *pack, now *v1beta1.MediaPack) {
	var listed []*record
	for r := range p.members {
		if r.shelf != nil {
			listed = append(listed, r)
			s.unfile(r)
		}
	}
	p.object = now
	for _, r := range listed {
		s.file(r)
	}
}

func brandOf(p *v1beta1.MediaPack) string {
	if p.Spec.BrandRef == nil {
		return ""
	}
	return p.Spec.BrandRef.Name
}

// claim lets an item bear an id. It is filed if it has it, and the one that had it before is not any more.
func (s *stock) claim(r *record, id int64) {
	all := s.claims[id]
	if !slices.Contains(all, r) {
		all = append(slices.Clone(all), r)
	}
	slices.SortFunc(all, func(a, b *record) int { return older(a.asset, b.asset) })
	s.claims[id] = all
	for _, other := range all[1:] {
		s.unfile(other)
	}
	s.file(all[0])
}

// release takes an id from an item. Another that bears it may move up.
func (s *stock) release(r *record, id int64) {
	s.unfile(r)
	left := slices.DeleteFunc(slices.Clone(s.claims[id]), func(o *record) bool { return o == r })
	if len(left) == 0 {
		delete(s.claims, id)
		return
	}
	s.claims[id] = left
	s.file(left[0])
}

// file puts an item on the shelf where it belongs, if it is not there.
func (s *stock) file(r *record) {
	if r.shelf != nil || !listed(r.asset) {
		return
	}
	r.key, r.class = Key{Created: createdAt(r.asset), ID: idOf(r.asset)}, classOfAsset(r.asset)
	at := placeOf(r.asset, r.pack)
	if s.shelves[at] == nil {
		s.shelves[at] = newShelf()
	}
	s.shelves[at].add(r)
}

func (s *stock) unfile(r *record) {
	from := r.shelf
	if from == nil {
		return
	}
	from.remove(r)
	if from.tree.Count(Every) > 0 {
		return
	}
	for at, one := range s.shelves {
		if one == from {
			delete(s.shelves, at)
		}
	}
}

// stays says that an item that has become another still stands where it stood, found by the same words.
func (s *stock) stays(r *record, a *v1beta1.MediaAsset, p *pack) bool {
	next := record{asset: a, pack: p}
	return listed(a) && r.key == Key{Created: createdAt(a), ID: idOf(a)} && r.class == classOfAsset(a) &&
		s.shelves[placeOf(a, p)] == r.shelf && slices.Equal(r.fields(), next.fields())
}

// listed says whether an item is in any list. One on its way out is not, nor one that was brought for the slides of a
// slideshow: it goes when that goes.
func listed(a *v1beta1.MediaAsset) bool {
	return a.DeletionTimestamp.IsZero() && !view.BroughtForShort(a)
}

func classOfAsset(a *v1beta1.MediaAsset) uint8 {
	return mediaClass(view.MediaType(a), view.MediaStatus(a) == view.MediaReady)
}

// placeOf is the shelf that an item belongs on. Who sees it is who may see both it and its pack; an item of one brand in a
// pack of another is in no pack.
func placeOf(a *v1beta1.MediaAsset, p *pack) place {
	brand := ""
	if a.Spec.BrandRef != nil {
		brand = a.Spec.BrandRef.Name
	}
	if p == nil || p.object == nil || !p.object.DeletionTimestamp.IsZero() {
		return place{brand: brand}
	}
	of := brandOf(p.object)
	switch {
	case brand != "" && of != "" && brand != of:
		return place{brand: brand}
	case brand != "":
		return place{brand: brand, packed: true, mine: true}
	}
	return place{brand: of, packed: true}
}
