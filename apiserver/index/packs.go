// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// Pack is a pack of media. The objects it points to must not be changed.
type Pack struct {
	ID int64
	// Object is set, or Drawn for a pack of the starter set.
	Object *v1beta1.MediaPack
	Drawn  *starter.Pack
	// Common reports whether every account has the pack: a slideshow refers to it as libraryPackRef.
	Common bool
}

// Name returns the name by which a slideshow refers to the pack.
func (p Pack) Name() string {
	if p.Drawn != nil {
		return p.Drawn.Name
	}
	return p.Object.Name
}

// Images returns the number of ready images in the pack.
func (p Pack) Images() int {
	if p.Drawn != nil {
		return len(p.Drawn.Pictures)
	}
	return int(p.Object.Status.ImageCount)
}

func (p Pack) title() string {
	if p.Drawn != nil {
		return p.Drawn.Title
	}
	return view.PackTitle(p.Object)
}

// Packs returns the packs that a brand may use: its own and its account's, newest first, then those that every account
// has, by title.
func (x *Media) Packs(namespace, brand string) []Pack {
	out := x.packsOf(namespace, brand, false)
	slices.SortFunc(out, func(a, b Pack) int {
		return cmp.Or(cmp.Compare(createdAt(b.Object), createdAt(a.Object)), cmp.Compare(b.ID, a.ID))
	})
	var common []Pack
	if namespace != x.library {
		common = x.packsOf(x.library, "", true)
	}
	for _, p := range starter.Packs() {
		common = append(common, Pack{ID: p.ID, Drawn: &p, Common: true})
	}
	slices.SortFunc(common, func(a, b Pack) int { return cmp.Or(cmp.Compare(a.title(), b.title()), cmp.Compare(a.ID, b.ID)) })
	return append(out, common...)
}

// packsOf returns the packs of a namespace that a brand may use. Of several packs with one id the oldest is listed.
func (x *Media) packsOf(namespace, brand string, common bool) []Pack {
	s := x.account(namespace)
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	has := map[int64]*v1beta1.MediaPack{}
	for _, p := range s.packs {
		if p.object == nil || p.id() == 0 || !mayUse(p.object, brand) {
			continue
		}
		if other := has[p.id()]; other == nil || older(p.object, other) < 0 {
			has[p.id()] = p.object
		}
	}
	out := make([]Pack, 0, len(has))
	for id, o := range has {
		out = append(out, Pack{ID: id, Object: o, Common: common})
	}
	return out
}

func mayUse(p *v1beta1.MediaPack, brand string) bool {
	return p.DeletionTimestamp.IsZero() && (p.Spec.BrandRef == nil || p.Spec.BrandRef.Name == brand)
}

// Pack returns a pack that a brand may use, by id.
func (x *Media) Pack(namespace, brand string, id int64) (Pack, bool) {
	all := append(x.packsOf(namespace, brand, namespace == x.library), x.packsOf(x.library, "", true)...)
	if i := slices.IndexFunc(all, func(p Pack) bool { return p.ID == id }); i >= 0 {
		return all[i], true
	}
	if p, ok := starter.PackByID(id); ok {
		return Pack{ID: p.ID, Drawn: &p, Common: true}, true
	}
	return Pack{}, false
}

// NamedPack returns a pack of an account by the name of its object.
func (x *Media) NamedPack(namespace, name string) (Pack, bool) {
	s := x.account(namespace)
	if s == nil {
		return Pack{}, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if p := s.packs[name]; p != nil && p.object != nil && p.id() != 0 {
		return Pack{ID: p.id(), Object: p.object}, true
	}
	return Pack{}, false
}

// CommonPack returns a pack that every account has, by the name that slideshows use.
func (x *Media) CommonPack(name string) (Pack, bool) {
	if p, ok := x.NamedPack(x.library, name); ok && mayUse(p.Object, "") {
		p.Common = true
		return p, true
	}
	if p, ok := starter.PackByName(name); ok {
		return Pack{ID: p.ID, Drawn: &p, Common: true}, true
	}
	return Pack{}, false
}

// Members returns the listed items of a pack, the newest first. Images of the starter set are in their own order.
func (x *Media) Members(p Pack) (out []MediaItem) {
	if p.Drawn != nil {
		for i := range p.Drawn.Pictures {
			one := &p.Drawn.Pictures[i]
			out = append(out, MediaItem{ID: one.Number, Drawn: one, PackID: p.ID})
		}
		return out
	}
	s := x.account(p.Object.Namespace)
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := s.packs[p.Object.Name]
	if in == nil {
		return nil
	}
	for r := range in.members {
		if r.key.ID != 0 && listed(r.asset) {
			out = append(out, r.item())
		}
	}
	slices.SortFunc(out, func(a, b MediaItem) int {
		return cmp.Or(cmp.Compare(createdAt(b.Asset), createdAt(a.Asset)), cmp.Compare(b.ID, a.ID))
	})
	return out
}

// Previews returns at most the given number of ready items of a pack, as listed in its status.
func (x *Media) Previews(p Pack, most int) (out []MediaItem) {
	if p.Drawn != nil {
		for i := range p.Drawn.Pictures[:min(most, len(p.Drawn.Pictures))] {
			one := &p.Drawn.Pictures[i]
			out = append(out, MediaItem{ID: one.Number, Drawn: one, PackID: p.ID})
		}
		return out
	}
	for _, name := range p.Object.Status.Previews {
		item, ok := x.Named(p.Object.Namespace, name)
		if ok && len(out) < most && item.Asset.DeletionTimestamp.IsZero() && view.MediaStatus(item.Asset) == view.MediaReady {
			out = append(out, item)
		}
	}
	return out
}
