// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
)

// Events returns the handler of Post events.
func (x *Posts) Events() cache.ResourceEventHandler { return postFeed{x} }

// postFeed turns events into changes of the lists.
type postFeed struct{ x *Posts }

// OnAdd handles a new post.
func (f postFeed) OnAdd(o any, _ bool) { f.OnUpdate(nil, o) }

// OnUpdate handles a changed post.
func (f postFeed) OnUpdate(old, o any) {
	before, had := old.(*v1beta1.Post)
	after, ok := o.(*v1beta1.Post)
	if !ok || had && before.ResourceVersion == after.ResourceVersion {
		return // another kind, or a resync
	}
	f.x.mu.Lock()
	if had && idOf(before) != idOf(after) {
		f.x.drop(before)
	}
	f.x.put(after)
	f.x.mu.Unlock()
	// Notify waiting readers after the lists have changed.
	f.x.writes.seen(after, false)
	f.x.watches.wake(after.Namespace, idOf(after))
}

// OnDelete handles a deleted post.
func (f postFeed) OnDelete(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	p, ok := o.(*v1beta1.Post)
	if !ok {
		return
	}
	f.x.mu.Lock()
	f.x.drop(p)
	f.x.mu.Unlock()
	f.x.writes.seen(p, true)
	f.x.watches.wake(p.Namespace, idOf(p))
}

// put adds or updates a post. A post without an id is in no list.
func (x *Posts) put(p *v1beta1.Post) {
	id := idOf(p)
	if id == 0 {
		return
	}
	a := x.accounts[p.Namespace]
	if a == nil {
		a = &posted{
			posts: map[int64]*postEntry{}, claims: map[int64][]*v1beta1.Post{}, lists: map[listKey]*postList{},
			shorts: map[shortOf]*Tree[*v1beta1.Post]{}, social: map[string]*Tree[time.Time]{},
		}
		x.accounts[p.Namespace] = a
	}
	claims := slices.DeleteFunc(a.claims[id], func(o *v1beta1.Post) bool { return o.Name == p.Name })
	x.decide(a, id, append(claims, p))
	x.archived.show(p.Namespace, id)
}

// drop removes a post. Another post with its id may then be listed.
func (x *Posts) drop(p *v1beta1.Post) {
	a, id := x.accounts[p.Namespace], idOf(p)
	if a == nil || id == 0 {
		return
	}
	x.decide(a, id, slices.DeleteFunc(a.claims[id], func(o *v1beta1.Post) bool { return o.Name == p.Name }))
	if len(a.posts) == 0 {
		delete(x.accounts, p.Namespace)
	}
	x.archived.show(p.Namespace, id)
}

// decide lists the oldest of several posts with one id: of a manifest copied with its labels, the original.
func (x *Posts) decide(a *posted, id int64, claims []*v1beta1.Post) {
	slices.SortFunc(claims, func(s, t *v1beta1.Post) int {
		return cmp.Or(cmp.Compare(createdAt(s), createdAt(t)), cmp.Compare(s.Name, t.Name))
	})
	if e := a.posts[id]; e != nil {
		x.unfile(a, e)
		delete(a.posts, id)
	}
	if len(claims) == 0 {
		delete(a.claims, id)
		return
	}
	a.claims[id] = claims
	p := claims[0]
	e := &postEntry{
		key: Key{Created: createdAt(p), ID: id}, due: Key{Created: dueAt(p), ID: id}, class: classOfPost(p, x.clock.Now()), post: p,
	}
	a.posts[id] = e
	for _, of := range listsOf(p) {
		list := a.lists[of]
		if list == nil {
			list = &postList{NewTree[*v1beta1.Post](postClassCount), NewTree[*v1beta1.Post](postClassCount)}
			a.lists[of] = list
		}
		list.created.Set(e.key, e.class, p)
		list.due.Set(e.due, e.class, p)
	}
	short := shortOf{p.Spec.BrandRef.Name, p.Spec.ShortID}
	if a.shorts[short] == nil {
		a.shorts[short] = NewTree[*v1beta1.Post](postClassCount)
	}
	a.shorts[short].Set(e.key, e.class, p)
	if at, counts := posting.Use(p); counts {
		e.use = Key{Created: at.Unix(), ID: id}
		if shares(p.Spec.Platform) {
			usesOf(x.shared, p.Spec.Platform).Set(e.use, 0, at)
		}
		usesOf(a.social, p.Spec.Account).Set(e.use, 0, at)
	}
}

func (x *Posts) unfile(a *posted, e *postEntry) {
	p := e.post
	for _, of := range listsOf(p) {
		list := a.lists[of]
		list.created.Delete(e.key)
		list.due.Delete(e.due)
		if list.created.Count(Every) == 0 {
			delete(a.lists, of)
		}
	}
	take(a.shorts, shortOf{p.Spec.BrandRef.Name, p.Spec.ShortID}, e.key)
	if e.use != (Key{}) {
		take(a.social, p.Spec.Account, e.use)
		if shares(p.Spec.Platform) {
			take(x.shared, p.Spec.Platform, e.use)
		}
	}
}

// listsOf returns the lists that a post is in, besides that of its short.
func listsOf(p *v1beta1.Post) [2]listKey {
	return [2]listKey{{brand: p.Spec.BrandRef.Name}, {brand: p.Spec.BrandRef.Name, account: p.Spec.Account}}
}

// classOfPost returns the class of a post, which combines platform, state, and whether it is for immediate publication.
func classOfPost(p *v1beta1.Post, now time.Time) uint8 {
	platform := max(slices.Index(postPlatforms, string(p.Spec.Platform)), 0)
	return postClass(platform, max(slices.Index(postStates, posting.State(p, now)), 0), p.Spec.Immediate)
}

func usesOf[K comparable](in map[K]*Tree[time.Time], k K) *Tree[time.Time] {
	if in[k] == nil {
		in[k] = NewTree[time.Time](1)
	}
	return in[k]
}

// take removes the entry with a key from a list, and the list if it is empty afterwards.
func take[K comparable, V any](in map[K]*Tree[V], k K, at Key) {
	if t := in[k]; t != nil {
		t.Delete(at)
		if t.Count(Every) == 0 {
			delete(in, k)
		}
	}
}
