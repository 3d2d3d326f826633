// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
)

// Faults returns the contradictions among the entry of a segment, its rows, and the objects in the rows, a line each.
// It returns none if the segment is sound.
func Faults(seg *v1beta1.ArchiveSegment, shorts []Short, posts []Post) []string {
	f := faults{known: map[int64]bool{}}
	f.entry(seg, shorts, posts)
	last := int64(0)
	for i := range shorts {
		f.order("short", last, shorts[i].ID)
		last = shorts[i].ID
		f.known[last] = true
		f.short(&shorts[i])
	}
	last = 0
	for i := range posts {
		f.order("post", last, posts[i].ID)
		last = posts[i].ID
		f.post(&posts[i])
	}
	return f.lines
}

type faults struct {
	// known are the ids of the shorts.
	known map[int64]bool
	lines []string
}

func (f *faults) add(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

func (f *faults) entry(seg *v1beta1.ArchiveSegment, shorts []Short, posts []Post) {
	film := int64(0)
	for i := range shorts {
		film += shorts[i].FilmBytes
	}
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"shorts", int64(len(shorts)), int64(seg.Shorts)},
		{"posts", int64(len(posts)), int64(seg.Posts)},
		{"film bytes", film, seg.FilmBytes},
	} {
		if c.got != c.want {
			f.add("the files have %d %s, the Archive has %d", c.got, c.what, c.want)
		}
	}
}

func (f *faults) order(what string, last, id int64) {
	switch {
	case id <= 0:
		f.add("a %s has the id %d", what, id)
	case id == last:
		f.add("%s %d has two rows", what, id)
	case id < last:
		f.add("%s %d comes after %s %d", what, id, what, last)
	}
}

func (f *faults) short(r *Short) {
	all, err := DecodeAll(r.Objects)
	if err != nil {
		f.add("short %d: %v", r.ID, err)
		return
	}
	kind, brand, id := "", r.Brand, r.ID
	for _, o := range all {
		switch o := o.(type) {
		case *v1beta1.Slideshow:
			kind, brand, id = v1beta1.KindSlideshow, o.Spec.BrandRef.Name, idOf(o)
		case *v1beta1.Video:
			kind, brand, id = v1beta1.KindVideo, o.Spec.BrandRef.Name, idOf(o)
		}
	}
	f.agree("short", r.ID, "id", id, r.ID)
	f.agree("short", r.ID, "kind", kind, r.Kind)
	f.agree("short", r.ID, "brand", brand, r.Brand)
}

func (f *faults) post(r *Post) {
	if !f.known[r.ShortID] {
		f.add("post %d is of short %d, which has no row", r.ID, r.ShortID)
	}
	decoded, err := Decode(r.Object)
	if err != nil {
		f.add("post %d: %v", r.ID, err)
		return
	}
	p, ok := decoded.(*v1beta1.Post)
	if !ok {
		f.add("post %d: the object is a %T", r.ID, decoded)
		return
	}
	want := PostOf(p)
	f.agree("post", r.ID, "id", want.ID, r.ID)
	f.agree("post", r.ID, "short_id", want.ShortID, r.ShortID)
	f.agree("post", r.ID, "brand", want.Brand, r.Brand)
	f.agree("post", r.ID, "account", want.Account, r.Account)
	f.agree("post", r.ID, "platform", want.Platform, r.Platform)
	f.agree("post", r.ID, "state", want.State, r.State)
	f.agree("post", r.ID, "platform_post_id", want.PlatformPostID, r.PlatformPostID)
}

// agree adds a fault if an object and a column have different values.
func (f *faults) agree(what string, id int64, column string, object, row any) {
	if object != row {
		f.add("%s %d: the column %s is %v, the object has %v", what, id, column, row, object)
	}
}

// idOf returns the id of an object; 0 if it has none.
func idOf(o client.Object) int64 {
	id, _ := identity.Of(o)
	return id
}
