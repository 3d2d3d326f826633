// SPDX-License-Identifier: Apache-2.0

package pinned_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	shorts  = "shorts/acme/show-uid/"
	renders = "renders/acme/render-uid/"
)

var errFault = errors.New("the connection broke")

// faulty is a store whose given write fails, before or after it is applied.
type faulty struct {
	*blob.Store
	writes, failAt int
	applied        bool
}

func (f *faulty) write(do func() error) error {
	if f.writes++; f.writes != f.failAt {
		return do()
	}
	if f.applied {
		_ = do()
	}
	return errFault
}

func (f *faulty) Put(ctx context.Context, key, contentType string, r io.Reader) error {
	return f.write(func() error { return f.Store.Put(ctx, key, contentType, r) })
}

func (f *faulty) Delete(ctx context.Context, key string) error {
	return f.write(func() error { return f.Store.Delete(ctx, key) })
}

func (f *faulty) DeletePrefix(ctx context.Context, prefix string) error {
	return f.write(func() error { return f.Store.DeletePrefix(ctx, prefix) })
}

func newStore(t *testing.T, failAt int, applied bool) *faulty {
	t.Helper()
	s, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{shorts + "r1/slide-1.png", shorts + "r1/slide-2.png", shorts + "r1/layer-1.png", renders + "film.mp4", renders + "timeline.json"} {
		if err := s.Put(t.Context(), key, "image/png", strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
	}
	return &faulty{Store: s, failAt: failAt, applied: applied}
}

func (f *faulty) keys(t *testing.T) []string {
	t.Helper()
	var out []string
	if err := f.Walk(t.Context(), "", func(o blob.Object) error { out = append(out, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func post(name string, media v1beta1.PostMedia) *v1beta1.Post {
	return &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name},
		Spec:       v1beta1.PostSpec{Media: media},
		Status:     v1beta1.PostStatus{State: v1beta1.PostScheduled},
	}
}

func photos(name string) *v1beta1.Post {
	return post(name, v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{shorts + "r1/slide-1.png", shorts + "r1/slide-2.png"}})
}

func video(name string) *v1beta1.Post {
	return post(name, v1beta1.PostMedia{Kind: "video", VideoKey: renders + "film.mp4"})
}

func cluster(objects ...client.Object) client.Client {
	return fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithStatusSubresource(&v1beta1.Post{}).WithObjects(objects...).Build()
}

func end(t *testing.T, c client.Client, name string, state v1beta1.PostState) {
	t.Helper()
	p := &v1beta1.Post{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: name}, p); err != nil {
		t.Fatal(err)
	}
	p.Status.State = state
	if err := c.Status().Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// remove deletes both prefixes like controllers: again after each failure.
func remove(t *testing.T, c client.Client, s *faulty) {
	t.Helper()
	for _, prefix := range []string{shorts, renders} {
		for {
			err := pinned.Remove(t.Context(), c, s, prefix, pinned.Short{})
			if err == nil {
				break
			}
			if !errors.Is(err, errFault) {
				t.Fatal(err)
			}
		}
	}
}

func collect(t *testing.T, c client.Client, s *faulty) {
	t.Helper()
	for {
		err := pinned.CollectAll(t.Context(), c, s)
		if err == nil {
			return
		}
		if !errors.Is(err, errFault) {
			t.Fatal(err)
		}
	}
}

func TestRemove_DeletesUnpinnedFiles(t *testing.T) {
	ended := video("sent")
	ended.Status.State = v1beta1.PostSuccess
	s := newStore(t, 0, false)
	remove(t, cluster(ended), s)
	if got := s.keys(t); len(got) != 0 {
		t.Errorf("left over: %v", got)
	}
}

func TestRemove_KeepsFilesOfOpenPosts(t *testing.T) {
	wanted := []string{renders + "film.mp4", shorts + "r1/slide-1.png", shorts + "r1/slide-2.png"}
	for failAt := range 16 {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d fails, applied %v", failAt, applied), func(t *testing.T) {
				c := cluster(photos("a"), photos("b"), video("c"))
				s := newStore(t, failAt, applied)
				remove(t, c, s)
				files := func() []string {
					return slices.DeleteFunc(s.keys(t), func(k string) bool { return strings.HasPrefix(k, pinned.Marks) })
				}
				if got := files(); !slices.Equal(got, wanted) {
					t.Fatalf("after the deletion: got %v, want %v", got, wanted)
				}
				end(t, c, "a", v1beta1.PostSuccess)
				collect(t, c, s)
				if got := files(); !slices.Equal(got, wanted) {
					t.Fatalf("with the other post: got %v, want %v", got, wanted)
				}
				end(t, c, "b", v1beta1.PostCancelled)
				if err := c.Delete(t.Context(), video("c")); err != nil {
					t.Fatal(err)
				}
				collect(t, c, s)
				if got := s.keys(t); len(got) != 0 {
					t.Errorf("left after the last post: %v", got)
				}
			})
		}
	}
}

// A batch that POST /posts accepted names files before its posts exist.
func TestRemove_KeepsFilesOfAcceptedBatches(t *testing.T) {
	b := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "batch-1"}}
	b.Spec.Accounts = []v1beta1.PostTarget{{Name: "tik", PostID: 1, Accepted: &v1beta1.AcceptedPost{Media: photos("a").Spec.Media}}}
	c := cluster(b)
	s := newStore(t, 0, false)
	remove(t, c, s)
	want := []string{shorts + "r1/slide-1.png", shorts + "r1/slide-2.png"}
	files := func() []string {
		return slices.DeleteFunc(s.keys(t), func(k string) bool { return strings.HasPrefix(k, pinned.Marks) })
	}
	if got := files(); !slices.Equal(got, want) {
		t.Fatalf("before the posts exist: got %v, want %v", got, want)
	}
	b.Status.Targets = []v1beta1.TargetStatus{{Account: "tik", State: v1beta1.PostFailed}}
	if err := c.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	collect(t, c, s)
	if got := s.keys(t); len(got) != 0 {
		t.Errorf("left after the batch ended: %v", got)
	}
}

func TestCollect_KeepsFilesOfExistingObjects(t *testing.T) {
	show := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "tea", UID: types.UID("show-uid")}}
	c := cluster(photos("a"))
	s := newStore(t, 0, false)
	if err := pinned.Remove(t.Context(), c, s, shorts, pinned.Short{}); err != nil {
		t.Fatal(err)
	}
	// The slideshow is restored from a backup before the post ends.
	if err := c.Create(t.Context(), show); err != nil {
		t.Fatal(err)
	}
	end(t, c, "a", v1beta1.PostSuccess)
	collect(t, c, s)
	want := []string{renders + "film.mp4", renders + "timeline.json", shorts + "r1/slide-1.png", shorts + "r1/slide-2.png"}
	if got := s.keys(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Without a mark the files of an ended post belong to their object.
	if err := pinned.Collect(t.Context(), c, s, renders); err != nil {
		t.Fatal(err)
	}
	if got := s.keys(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A post or a batch that was created a moment before the deletion may be missing from the cache.
func TestRemove_PostIsMissingFromTheCache(t *testing.T) {
	of := map[string]string{v1beta1.LabelShort: "7"}
	mine, other := photos("mine"), post("other", v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{shorts + "r1/layer-1.png"}})
	mine.Labels = of
	accepted := &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "accepted", Labels: of},
		Spec: v1beta1.PostBatchSpec{Accounts: []v1beta1.PostTarget{{Name: "tik", Accepted: &v1beta1.AcceptedPost{
			Media: v1beta1.PostMedia{Kind: "video", VideoKey: renders + "film.mp4"},
		}}}},
	}
	cache, live := cluster(), cluster(mine, other, accepted)
	s := newStore(t, 0, false)
	for _, prefix := range []string{shorts, renders} {
		if err := pinned.Remove(t.Context(), cache, s, prefix, pinned.Short{Live: live, ID: "7"}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"pinned/acme/renders/render-uid", "pinned/acme/shorts/show-uid", renders + "film.mp4", shorts + "r1/slide-1.png", shorts + "r1/slide-2.png",
	}
	if got := s.keys(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// moving is a reader during whose first list the controller creates the posts of a batch and records them.
type moving struct {
	client.Reader
	then func()
}

func (m *moving) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	err := m.Reader.List(ctx, list, opts...)
	if m.then != nil {
		m.then()
		m.then = nil
	}
	return err
}

func TestRemove_PostsAreCreatedBetweenTheLists(t *testing.T) {
	b := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "batch-1"}}
	b.Spec.Accounts = []v1beta1.PostTarget{{Name: "tik", PostID: 1, Accepted: &v1beta1.AcceptedPost{Media: photos("a").Spec.Media}}}
	c := cluster(b)
	s := newStore(t, 0, false)
	between := &moving{c, func() {
		b.Status.Targets = []v1beta1.TargetStatus{{Account: "tik", State: v1beta1.PostScheduled}}
		if err := errors.Join(c.Create(t.Context(), photos("a")), c.Update(t.Context(), b)); err != nil {
			t.Fatal(err)
		}
	}}
	if err := pinned.Remove(t.Context(), between, s, shorts, pinned.Short{}); err != nil {
		t.Fatal(err)
	}
	for _, key := range photos("a").Spec.Media.PhotoKeys {
		if there, err := s.Exists(t.Context(), key); err != nil || !there {
			t.Errorf("%s: got %v, %v", key, there, err)
		}
	}
}

// Posts of all shorts can have a media item as cover, also a post that the cache does not have yet.
func TestRemove_CoverIsMissingFromTheCache(t *testing.T) {
	const cover = "media/acme/item-uid/file.png"
	p := video("covered")
	p.Labels = map[string]string{v1beta1.LabelShort: "7"}
	p.Spec.Media.Cover = &v1beta1.PostMediaCover{ImageKey: cover}
	s := newStore(t, 0, false)
	if err := s.Put(t.Context(), cover, "image/png", strings.NewReader(cover)); err != nil {
		t.Fatal(err)
	}
	if err := pinned.Remove(t.Context(), cluster(), s, "media/acme/item-uid/", pinned.Short{Live: cluster(p)}); err != nil {
		t.Fatal(err)
	}
	if there, err := s.Exists(t.Context(), cover); err != nil || !there {
		t.Errorf("got %v, %v", there, err)
	}
}
