// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"context"
	"iter"
	"maps"
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
	// Segments hold the archived posts of Short. Without Short, the archived posts are those of SetArchive.
	Segments []*Segment
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
	// Live selects the posts in the cluster only.
	Live bool
}

// Post is a post of a list.
type Post struct {
	// Object must not be changed. It is nil for an archived post whose row has not been read.
	Object *v1beta1.Post
	// Archived is the row of a post in the archive; nil for one in the cluster.
	Archived *Row
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
	shared   map[v1beta1.Platform]*Tree[time.Time]
	archived archives

	clock   clock.Clock
	writes  writes
	watches watches
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
	x.archived = archives{
		mu: &x.mu, classes: postClassCount, of: map[string]*archivedRows{},
		live: func(namespace string, id int64) bool {
			a := x.accounts[namespace]
			return a != nil && a.posts[id] != nil
		},
		lives: func(namespace string) iter.Seq[int64] {
			if a := x.accounts[namespace]; a != nil {
				return maps.Keys(a.posts)
			}
			return func(func(int64) bool) {}
		},
	}
	return x
}

// SetArchive is like Shorts.SetArchive, for posts.
func (x *Posts) SetArchive(namespace string, parts []ArchivePart) error {
	return x.archived.set(namespace, parts)
}

// DropArchive is like Shorts.DropArchive, for posts.
func (x *Posts) DropArchive(namespace string) { x.archived.drop(namespace) }

// Archived is like Shorts.Archived, for posts.
func (x *Posts) Archived(namespace string, id int64) (row *Row, brand string, ok bool) {
	return x.archived.find(namespace, id)
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
func (x *Posts) List(namespace, brand string, f PostFilter, cut func(total int) (from, to int)) []Post {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if f.Short != 0 {
		return x.ofShort(namespace, brand, f, cut)
	}
	classes, byDue := f.classes(), f.Order.byDue() || f.timed()
	of := listKey{brand, f.Account}
	var live *postList
	if a := x.accounts[namespace]; a != nil {
		live = a.lists[of]
	}
	var archived *archivedList
	rows := x.archived.of[namespace]
	if rows != nil && !f.Live {
		archived = rows.lists[of]
	}
	var parts []part[Post]
	if live != nil {
		tree := live.created
		if byDue {
			tree = live.due
		}
		parts = append(parts, partOf(between(tree, classes, f.After, f.Before), livePost))
	}
	if archived != nil {
		tree := archived.created
		if byDue {
			tree = archived.due
		}
		parts = append(parts, partOf(between(tree, classes, f.After, f.Before), rows.post))
	}
	total := length(parts)
	from, to := cut(total)
	if !f.timed() || f.Order.byDue() {
		return merged(parts, f.Order, from, to)
	}
	// The times are counted in one tree, and the page is in the order of the other one.
	if from >= to {
		return nil
	}
	from, to = f.Order.forward(total, from, to)
	var page []placed[Post]
	if live != nil {
		page = matching(page, live.created, classes, to, func(p *v1beta1.Post) bool { return f.matches(dueAt(p), p.Spec.Account) }, livePost)
	}
	if archived != nil {
		page = matching(page, archived.created, classes, to, func(n uint32) bool { return f.matches(rows.dueAt(n), rows.account(n)) }, rows.post)
		sortPlaced(page)
	}
	return turned(f.Order, valuesOf(page[from:to]))
}

// matching appends the first most records of some classes in a Tree that match.
func matching[V any](to []placed[Post], tree *Tree[V], c Classes, most int, match func(V) bool, convert func(V) Post) []placed[Post] {
	n := 0
	tree.each(c, 0, func(it *item[V]) bool {
		if match(it.value) {
			to = append(to, placed[Post]{it.key, convert(it.value)})
			n++
		}
		return n < most
	})
	return to
}

// candidate is a post of a short, with the values that filters and orders need.
type candidate struct {
	key     Key
	due     int64
	account string
	post    Post
}

// candidates returns the posts of a short in some classes, newest first. segments hold the archived ones.
func (x *Posts) candidates(namespace, brand string, short int64, segments []*Segment, c Classes) (out []candidate) {
	if a := x.accounts[namespace]; a != nil && a.shorts[shortOf{brand, short}] != nil {
		a.shorts[shortOf{brand, short}].each(c, 0, func(it *item[*v1beta1.Post]) bool {
			out = append(out, candidate{it.key, dueAt(it.value), it.value.Spec.Account, livePost(it.value)})
			return true
		})
	}
	for i, s := range segments {
		for n := range s.ofShort(short) {
			id := s.rows[n].id
			earlier := slices.ContainsFunc(segments[:i], func(s *Segment) bool { return s.Has(id) })
			if !earlier && !x.archived.live(namespace, id) && c.Has(s.rows[n].class) && s.brand(n) == brand {
				out = append(out, candidate{s.key(n), s.due[n], s.places[s.rows[n].place].account, archivedPost(s, n)})
			}
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.key.Created, a.key.Created), cmp.Compare(b.key.ID, a.key.ID))
	})
	return out
}

// ofShort lists posts of one short. They are few, so this function itself filters and sorts them if a Tree cannot.
func (x *Posts) ofShort(namespace, brand string, f PostFilter, c cut) []Post {
	if len(f.Segments) == 0 && f.Account == "" && !f.timed() && !f.Order.byDue() {
		var parts []part[Post]
		if a := x.accounts[namespace]; a != nil && a.shorts[shortOf{brand, f.Short}] != nil {
			parts = append(parts, partOf(between(a.shorts[shortOf{brand, f.Short}], f.classes(), nil, nil), livePost))
		}
		from, to := c(length(parts))
		return merged(parts, f.Order, from, to)
	}
	all := x.candidates(namespace, brand, f.Short, f.Segments, f.classes())
	all = slices.DeleteFunc(all, func(p candidate) bool { return !f.matches(p.due, p.account) })
	if f.Order.byDue() {
		slices.SortFunc(all, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.due, a.due), cmp.Compare(b.key.ID, a.key.ID))
		})
	}
	all = turned(f.Order, all)
	from, to := c(len(all))
	if from >= to {
		return nil
	}
	out := make([]Post, 0, to-from)
	for _, p := range all[from:to] {
		out = append(out, p.post)
	}
	return out
}

func livePost(p *v1beta1.Post) Post { return Post{Object: p} }

func archivedPost(s *Segment, n int) Post { return Post{Archived: s.row(n)} }

// post returns the archived post with a number among all rows.
func (a *archivedRows) post(number uint32) Post { return archivedPost(a.at(number)) }

func (a *archivedRows) dueAt(number uint32) int64 {
	s, n := a.at(number)
	return s.due[n]
}

func (a *archivedRows) account(number uint32) string {
	s, n := a.at(number)
	return s.places[s.rows[n].place].account
}

// matches reports whether a post with a due time on an account matches the account and the times of the filter.
func (f PostFilter) matches(due int64, account string) bool {
	return (f.Account == "" || account == f.Account) && within(due, f.After, f.Before)
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

// Same returns the ids of the posts of a short on an account, newest first, without failed and cancelled posts. segments
// hold the archived posts of the short.
func (x *Posts) Same(namespace, brand string, short int64, segments []*Segment, account string) []int64 {
	classes := postClasses(func(_ string, s v1beta1.PostState, _ bool) bool {
		return s != v1beta1.PostFailed && s != v1beta1.PostCancelled
	})
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []int64
	for _, p := range x.candidates(namespace, brand, short, segments, classes) {
		if p.account == account && len(out) < maxSame {
			out = append(out, p.key.ID)
		}
	}
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
