// SPDX-License-Identifier: Apache-2.0

package archive_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
)

func named(name string, id int64) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: "acme", Name: name, Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)},
	}
}

// segment returns the entry and the rows of a sound segment: shorts 1 and 2, and the posts 3 and 4 of short 1.
func segment(t *testing.T) (seg v1beta1.ArchiveSegment, shorts []archive.Short, posts []archive.Post) {
	t.Helper()
	must := func(doc []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	for id := int64(1); id <= 2; id++ {
		s := &v1beta1.Slideshow{
			ObjectMeta: named("show", id),
			Spec:       v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "coffee"}},
		}
		shorts = append(shorts, archive.Short{
			ID: id, Kind: v1beta1.KindSlideshow, Brand: "coffee", FilmBytes: 10,
			Objects: must(archive.EncodeAll([]client.Object{s, &v1beta1.RenderJob{}})),
		})
	}
	for id := int64(3); id <= 4; id++ {
		p := &v1beta1.Post{
			ObjectMeta: named("post", id),
			Spec: v1beta1.PostSpec{
				BrandRef: v1beta1.LocalRef{Name: "coffee"}, Account: "tik", Platform: "tiktok", ShortID: 1,
			},
			Status: v1beta1.PostStatus{State: v1beta1.PostSuccess, PlatformPostID: "77"},
		}
		posts = append(posts, archive.Post{
			ID: id, ShortID: 1, Brand: "coffee", Account: "tik", Platform: "tiktok", State: "success", PlatformPostID: "77",
			Object: must(archive.Encode(p)),
		})
	}
	return v1beta1.ArchiveSegment{Shorts: 2, Posts: 2, FilmBytes: 20}, shorts, posts
}

func TestFaults(t *testing.T) {
	type rows struct {
		seg    *v1beta1.ArchiveSegment
		shorts []archive.Short
		posts  []archive.Post
	}
	for name, c := range map[string]struct {
		change func(*rows)
		want   []string
	}{
		"sound": {func(*rows) {}, nil},
		"posts of a deleted short": {func(r *rows) {
			r.shorts[0].Kind, r.shorts[0].Brand, r.shorts[0].Objects = "", "coffee", []byte("[]")
		}, nil},
		"fewer rows": {func(r *rows) { r.posts = r.posts[:1] }, []string{"the files have 1 posts, the Archive has 2"}},
		"other videos": {func(r *rows) { r.shorts[1].FilmBytes = 5 }, []string{
			"the files have 15 film bytes, the Archive has 20",
		}},
		"wrong order": {func(r *rows) { r.shorts[0], r.shorts[1] = r.shorts[1], r.shorts[0] }, []string{
			"short 1 comes after short 2",
		}},
		"twice": {func(r *rows) { r.posts[1] = r.posts[0] }, []string{"post 3 has two rows"}},
		"without the short": {func(r *rows) {
			r.shorts, r.seg.Shorts, r.seg.FilmBytes = r.shorts[1:], 1, 10
		}, []string{"post 3 is of short 1, which has no row", "post 4 is of short 1, which has no row"}},
		"no JSON": {func(r *rows) { r.shorts[0].Objects = []byte("[{") }, []string{
			"short 1: a file of the archive is missing or damaged: unexpected end of JSON input",
		}},
		"another short": {func(r *rows) { r.shorts[0].Objects = r.shorts[1].Objects }, []string{
			"short 1: the column id is 1, the object has 2",
		}},
		"another kind": {func(r *rows) { r.shorts[1].Kind = v1beta1.KindVideo }, []string{
			"short 2: the column kind is Video, the object has Slideshow",
		}},
		"no post": {func(r *rows) {
			r.posts[0].Object = []byte(`{"apiVersion":"reelops.dev/v1beta1","kind":"Brand"}`)
		}, []string{
			"post 3: the object is a *v1beta1.Brand",
		}},
		"another state": {func(r *rows) { r.posts[1].State = "failed" }, []string{
			"post 4: the column state is failed, the object has success",
		}},
	} {
		seg, shorts, posts := segment(t)
		r := &rows{&seg, shorts, posts}
		c.change(r)
		if d := cmp.Diff(c.want, archive.Faults(r.seg, r.shorts, r.posts)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
