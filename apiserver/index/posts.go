// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// PostFilter selects posts of a brand. The zero value selects all of them.
type PostFilter struct {
	// Short is the id of what was posted; 0 means any.
	Short int64
	// Status and Platform; empty means any.
	Status   v1beta1.PostState
	Platform v1beta1.Platform
	// Account is the name of a SocialAccount; empty means any.
	Account string
	// After and Before limit the scheduled time, both inclusive. A post for immediate publication has none and matches
	// neither.
	After, Before *time.Time
	// Order of the list. By DueDesc and DueAsc, a post for immediate publication is due when it was accepted.
	Order Order
}

// timed reports whether the filter limits the scheduled time.
func (f PostFilter) timed() bool { return f.After != nil || f.Before != nil }

// postStates and postPlatforms in the order of their classes.
var (
	postStates = []v1beta1.PostState{
		v1beta1.PostHeld, v1beta1.PostPending, v1beta1.PostSuccess, v1beta1.PostFailed, v1beta1.PostScheduled, v1beta1.PostCancelled, v1beta1.PostRetrying,
	}
	postPlatforms = catalog.Platforms()
)

// Posts are the posts of all accounts. It is safe for concurrent use; a reader holds others up only while it picks.
type Posts struct {
	mu       sync.RWMutex
	accounts map[string]*posted // by namespace
	// shared are the uses of platforms that count the whole installation.
	shared map[v1beta1.Platform]*Tree[time.Time]

	clock  clock.Clock
	writes writes
}

// posted holds the posts of one namespace.
type posted struct {
	posts map[int64]*postEntry
	// claims are all posts that bear an id, the one who has it first.
	claims map[int64][]*v1beta1.Post
	// lists and shorts are the lists, social the times at which posts count against what a SocialAccount may post.
	lists  map[listKey]*postList
	shorts map[shortOf]*Tree[*v1beta1.Post]
	social map[string]*Tree[time.Time]
}

// listKey identifies a list: the posts of a brand, or those on one of its accounts.
type listKey struct {
	brand string
	// account is the name of the SocialAccount; empty for all.
	account string
}

// postList holds the same posts in two orders.
type postList struct {
	created, due *Tree[*v1beta1.Post]
}

type shortOf struct {
	brand string
	id    int64
}

// postEntry is a post at its places in the lists.
type postEntry struct {
	// key is the place by creation, due the place by the time at which the post is due.
	key, due Key
	class    uint8
	post     *v1beta1.Post
	// use is the place among the uses of its account; the zero key for a post that counts nowhere.
	use Key
}

// NewPosts returns an empty index.
func NewPosts(c clock.Clock) *Posts {
	x := &Posts{accounts: map[string]*posted{}, shared: map[v1beta1.Platform]*Tree[time.Time]{}, clock: c}
	x.writes.clock, x.writes.kind, x.writes.held = c, postKind, x.held
	return x
}

// postKind returns the kind of the objects in lists of posts; empty for an object of another kind.
func postKind(o client.Object) string {
	if _, ok := o.(*v1beta1.Post); ok {
		return "Post"
	}
	return ""
}

// Wrote notes that this process wrote an object, as the cluster gave it back: readers of the account wait for its event.
// Other kinds than those of the lists are passed over.
func (x *Posts) Wrote(o client.Object) { x.writes.wrote(o) }

// Deleted notes that this process deleted an object.
func (x *Posts) Deleted(o client.Object) { x.writes.deleted(o) }

// Await returns when the lists show what this process wrote in an account before the call, or when waiting has taken
// Patience. The error is that of the context.
func (x *Posts) Await(ctx context.Context, namespace string) error {
	return x.writes.await(ctx, namespace)
}

// Get finds a post of an account by id, or nil. It must not be changed.
func (x *Posts) Get(namespace string, id int64) *v1beta1.Post {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if a := x.accounts[namespace]; a != nil && a.posts[id] != nil {
		return a.posts[id].post
	}
	return nil
}

// List returns posts of a brand in the order of the filter. cut receives the number of posts that match the filter and
// returns the half-open range of them to list. The caller must not change the posts.
func (x *Posts) List(namespace, brand string, f PostFilter, cut func(total int) (from, to int)) []*v1beta1.Post {
	classes := f.classes()
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := x.accounts[namespace]
	if a == nil {
		cut(0)
		return nil
	}
	if f.Short != 0 {
		return a.ofShort(brand, f, cut)
	}
	list := a.lists[listKey{brand, f.Account}]
	if list == nil {
		cut(0)
		return nil
	}
	tree := list.created
	if f.Order.byDue() || f.timed() {
		tree = list.due
	}
	part := between(tree, classes, f.After, f.Before)
	from, to := cut(part.len())
	if !f.timed() || f.Order.byDue() {
		return part.page(f.Order, from, to)
	}
	// The times are counted in one tree, and the page is in the order of the other one.
	return walk(list.created, classes, f, part.len(), from, to)
}

// ofShort lists posts of one short. They are few, so this function itself filters and sorts them.
func (a *posted) ofShort(brand string, f PostFilter, c cut) []*v1beta1.Post {
	tree := a.shorts[shortOf{brand, f.Short}]
	if tree == nil {
		c(0)
		return nil
	}
	classes := f.classes()
	if f.Account == "" && !f.timed() && !f.Order.byDue() {
		part := between(tree, classes, nil, nil)
		from, to := c(part.len())
		return part.page(f.Order, from, to)
	}
	var all []*v1beta1.Post
	tree.Each(classes, 0, func(p *v1beta1.Post) bool {
		if f.matches(p) {
			all = append(all, p)
		}
		return true
	})
	if f.Order.byDue() {
		slices.SortFunc(all, func(p, q *v1beta1.Post) int {
			return cmp.Or(cmp.Compare(dueAt(q), dueAt(p)), cmp.Compare(idOf(q), idOf(p)))
		})
	}
	all = turned(f.Order, all)
	from, to := c(len(all))
	if from >= to {
		return nil
	}
	return all[from:to:to]
}

// walk returns a page of the posts that match the account and the times of a filter, of which there are total.
func walk(tree *Tree[*v1beta1.Post], c Classes, f PostFilter, total, from, to int) []*v1beta1.Post {
	if from >= to {
		return nil
	}
	from, to = f.Order.forward(total, from, to)
	out, n := make([]*v1beta1.Post, 0, to-from), 0
	tree.Each(c, 0, func(p *v1beta1.Post) bool {
		if f.matches(p) {
			if n >= from {
				out = append(out, p)
			}
			n++
		}
		return n < to
	})
	return turned(f.Order, out)
}

// matches reports whether a post matches the account and the times of the filter.
func (f PostFilter) matches(p *v1beta1.Post) bool {
	return (f.Account == "" || p.Spec.Account == f.Account) &&
		(f.After == nil || dueAt(p) >= ceiling(*f.After)) && (f.Before == nil || dueAt(p) <= f.Before.Unix())
}

// dueAt returns the scheduled time of a post, or the time of acceptance of one for immediate publication, in whole
// seconds since 1970, as responses have it.
func dueAt(p *v1beta1.Post) int64 { return p.Spec.ScheduledAt.Unix() }

// Count of a brand's posts.
func (x *Posts) Count(namespace, brand string, f PostFilter) int {
	n := 0
	x.List(namespace, brand, f, func(total int) (int, int) {
		n = total
		return 0, 0
	})
	return n
}

// Uses are the times between from (exclusive) and to (inclusive) at which posts count against what an account may post: posts of the
// account, or, on a platform that counts the whole installation, everybody's.
func (x *Posts) Uses(a *v1beta1.SocialAccount, from, to time.Time) []time.Time {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var tree *Tree[time.Time]
	if shares(a.Spec.Platform) {
		tree = x.shared[a.Spec.Platform]
	} else if p := x.accounts[a.Namespace]; p != nil {
		tree = p.social[a.Name]
	}
	if tree == nil {
		return nil
	}
	var out []time.Time
	// Latest first: what is planned for after the stretch is passed over at once.
	first := tree.Before(Key{Created: to.Unix(), ID: 1<<63 - 1}, Every)
	tree.Each(Every, first, func(t time.Time) bool {
		if t.After(from) && !t.After(to) {
			out = append(out, t)
		}
		return t.After(from)
	})
	return out
}

// Same returns the ids of the posts of a short on an account, newest first, without failed and cancelled posts.
func (x *Posts) Same(namespace, brand string, short int64, account string) []int64 {
	classes := postClasses(func(_ string, s v1beta1.PostState, _ bool) bool {
		return s != v1beta1.PostFailed && s != v1beta1.PostCancelled
	})
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := x.accounts[namespace]
	if a == nil || a.shorts[shortOf{brand, short}] == nil {
		return nil
	}
	var out []int64
	a.shorts[shortOf{brand, short}].Each(classes, 0, func(p *v1beta1.Post) bool {
		if p.Spec.Account == account {
			out = append(out, idOf(p))
		}
		return len(out) < maxSame
	})
	return out
}

// maxSame bounds the posts that are named as the same.
const maxSame = 20

func shares(p v1beta1.Platform) bool {
	r, ok := catalog.RuleOf(string(p))
	return ok && r.Cap.AppWide
}

func (f PostFilter) classes() Classes {
	return postClasses(func(platform string, state v1beta1.PostState, immediate bool) bool {
		return (f.Platform == "" || string(f.Platform) == platform) && (f.Status == "" || f.Status == state) &&
			(!immediate || !f.timed())
	})
}

// postClasses returns the classes that match.
func postClasses(match func(platform string, state v1beta1.PostState, immediate bool) bool) Classes {
	var out Classes
	for i, p := range postPlatforms {
		for j, s := range postStates {
			for _, immediate := range []bool{false, true} {
				if match(p, s, immediate) {
					out |= 1 << postClass(i, j, immediate)
				}
			}
		}
	}
	return out
}

// postClassCount is the number of classes of posts.
var postClassCount = 2 * len(postPlatforms) * len(postStates)

func postClass(platform, state int, immediate bool) uint8 {
	class := platform*len(postStates) + state
	if immediate {
		class += postClassCount / 2
	}
	return uint8(class)
}

// held is the object of the index under the name and id of another, or nil.
func (x *Posts) held(o client.Object) client.Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if a := x.accounts[o.GetNamespace()]; a != nil {
		claims := a.claims[idOf(o)]
		if i := slices.IndexFunc(claims, func(p *v1beta1.Post) bool { return p.Name == o.GetName() }); i >= 0 {
			return claims[i]
		}
	}
	return nil
}
