// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"

	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
)

// Assets returns the handler of MediaAsset events.
func (x *Media) Assets() cache.ResourceEventHandler {
	return mediaFeed[*v1beta1.MediaAsset]{x, (*stock).putAsset, (*stock).dropAsset}
}

// PackObjects returns the handler of MediaPack events.
func (x *Media) PackObjects() cache.ResourceEventHandler {
	return mediaFeed[*v1beta1.MediaPack]{x, (*stock).putPack, (*stock).dropPack}
}

// mediaKind returns the name of a kind that is in the media lists; otherwise an empty string.
func mediaKind(o client.Object) string {
	switch o.(type) {
	case *v1beta1.MediaAsset:
		return "MediaAsset"
	case *v1beta1.MediaPack:
		return "MediaPack"
	}
	return ""
}

// mediaFeed turns the events of one kind into changes of an account. Events of the two kinds may arrive in any order.
type mediaFeed[O client.Object] struct {
	x    *Media
	put  func(*stock, O)
	drop func(*stock, O)
}

// OnAdd handles a new object.
func (f mediaFeed[O]) OnAdd(o any, _ bool) { f.OnUpdate(nil, o) }

// OnUpdate handles a changed object. The index knows its previous state by name.
func (f mediaFeed[O]) OnUpdate(old, o any) {
	before, had := old.(O)
	after, ok := o.(O)
	if !ok || had && before.GetResourceVersion() == after.GetResourceVersion() {
		return // another kind, or a resync
	}
	f.x.within(after.GetNamespace(), func(s *stock) { f.put(s, after) })
	f.x.writes.seen(after, false) // notify waiting readers after the lists have changed
}

// OnDelete handles a deleted object.
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

// within changes an account, and removes it if it is empty afterwards. Readers that already hold it see it empty.
func (x *Media) within(namespace string, change func(*stock)) {
	x.feed.Lock()
	defer x.feed.Unlock()
	s := x.account(namespace)
	if s == nil {
		s = &stock{items: map[string]*record{}, claims: map[int64][]*record{}, packs: map[string]*pack{}, partitions: map[place]*partition{}}
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

// held returns the indexed object of the same kind and name, or nil.
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

// putAsset adds or updates an item.
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
	if r.partition != nil && r.asset != nil && !s.stays(r, a, now) {
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

// dropAsset removes an item.
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

// packOf returns the pack that an item refers to, creating a placeholder if it is unknown.
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

// leave removes an item from its pack.
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

// putPack adds or updates a pack. Its title and its visibility affect its items.
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

// rearrange moves the items of a pack to other partitions after the pack has changed.
func (s *stock) rearrange(p *pack, now *v1beta1.MediaPack) {
	var listed []*record
	for r := range p.members {
		if r.partition != nil {
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

// claim registers an item under an id. The oldest item with the id is listed; the others are removed from the lists.
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

// release removes an item from an id. Another item with that id may then be listed.
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

// file inserts an item into its partition, unless it is already in one.
func (s *stock) file(r *record) {
	if r.partition != nil || !listed(r.asset) {
		return
	}
	r.key, r.class = Key{Created: createdAt(r.asset), ID: idOf(r.asset)}, classOfAsset(r.asset)
	at := placeOf(r.asset, r.pack)
	if s.partitions[at] == nil {
		s.partitions[at] = newPartition()
	}
	r.partition = s.partitions[at]
	r.partition.add(r)
}

func (s *stock) unfile(r *record) {
	from := r.partition
	if from == nil {
		return
	}
	from.remove(r)
	r.partition = nil
	if from.tree.Count(Every) > 0 {
		return
	}
	for at, one := range s.partitions {
		if one == from {
			delete(s.partitions, at)
		}
	}
}

// stays reports whether a changed item keeps its partition, its position and its search words.
func (s *stock) stays(r *record, a *v1beta1.MediaAsset, p *pack) bool {
	next := record{asset: a, pack: p}
	return listed(a) && r.key == Key{Created: createdAt(a), ID: idOf(a)} && r.class == classOfAsset(a) &&
		s.partitions[placeOf(a, p)] == r.partition && slices.Equal(r.fields(), next.fields())
}

// listed reports whether an item is in any list. Items being deleted are not. Neither are items that were fetched for
// the slides of one slideshow: they are deleted with it.
func listed(a *v1beta1.MediaAsset) bool {
	return a.DeletionTimestamp.IsZero() && !view.ImportedForShort(a)
}

func classOfAsset(a *v1beta1.MediaAsset) uint8 {
	return mediaClass(view.MediaType(a), view.MediaStatus(a) == view.MediaReady)
}

// placeOf returns the partition of an item. The item is visible to those who may see both the item and its pack. An
// item of one brand in a pack of another counts as being in no pack.
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
