// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/kube/recall"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

// oneSegment is a store whose only segment has one short and one post.
type oneSegment struct {
	short archive.Short
	post  archive.Post
}

func (s *oneSegment) ShortKeys(context.Context, string, *v1beta1.ArchiveSegment) ([]archive.ShortKey, error) {
	r := &s.short
	return []archive.ShortKey{{ID: r.ID, CreatedAt: r.CreatedAt, Kind: r.Kind, Brand: r.Brand, State: r.State}}, nil
}

func (s *oneSegment) PostKeys(context.Context, string, *v1beta1.ArchiveSegment) ([]archive.PostKey, error) {
	r := &s.post
	return []archive.PostKey{{ID: r.ID, ShortID: r.ShortID, Brand: r.Brand, Account: r.Account, Platform: r.Platform, State: r.State}}, nil
}

func (s *oneSegment) Texts(context.Context, string, *v1beta1.ArchiveSegment) ([]archive.Text, error) {
	return []archive.Text{{}}, nil
}

func (s *oneSegment) Shorts(_ context.Context, _ string, _ *v1beta1.ArchiveSegment, rows []int) ([]archive.Short, error) {
	return slices.Repeat([]archive.Short{s.short}, len(rows)), nil
}

func (s *oneSegment) Posts(_ context.Context, _ string, _ *v1beta1.ArchiveSegment, rows []int) ([]archive.Post, error) {
	return slices.Repeat([]archive.Post{s.post}, len(rows)), nil
}

// archiveWorld is a service whose short 7 with a render, and post 31 of it, are in the archive.
type archiveWorld struct {
	*Service
	t       *testing.T
	call    *operation.Call
	cluster client.WithWatch
	objects *archived.Objects
	have    *v1beta1.Archive // as the informer has it
	show    *v1beta1.Slideshow
	render  *v1beta1.RenderJob
	post    *v1beta1.Post

	mu sync.Mutex
	// requested counts the requests to restore something.
	requested int
	// manager, unless nil, is called with each Archive that a request wrote.
	manager func(*v1beta1.Archive)
	// onDelete, unless nil, is called before a deletion.
	onDelete func()
	// conflicts is how many of the next writes of the Archive conflict.
	conflicts int
}

func newArchiveWorld(t *testing.T) *archiveWorld {
	w := &archiveWorld{t: t, objects: archived.NewObjects()}
	at := metav1.NewTime(time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC))
	brand := &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "acme", Labels: map[string]string{v1beta1.LabelID: "1"}}}
	w.show = &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "slideshow-7", CreationTimestamp: at, Generation: 1, Labels: map[string]string{v1beta1.LabelID: "7"}},
		Spec:       v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Title: ptr.To("Sleep"), AspectRatio: "4:5", Slides: []v1beta1.SlideSpec{{ID: 1, Heading: "One"}}},
		Status: v1beta1.SlideshowStatus{
			Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, StartedAt: &at, FinishedAt: &at}, Revision: 1,
			Design: &v1beta1.Design{AspectRatio: "4:5"}, Slides: []v1beta1.Slide{{ID: 1}},
		},
	}
	w.render = &v1beta1.RenderJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "slideshow-7-r1", CreationTimestamp: at, Labels: map[string]string{v1beta1.LabelShort: "7"}},
		Spec:       v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Name: "slideshow-7"}, Revision: ptr.To[int64](1)},
		Status: v1beta1.RenderJobStatus{
			Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, FinishedAt: &at}, Output: &v1beta1.RenderOutput{BlobKey: "n/film.mp4"},
		},
	}
	w.post = &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "post-31", CreationTimestamp: at, Labels: map[string]string{v1beta1.LabelID: "31", v1beta1.LabelShort: "7"}},
		Spec:       v1beta1.PostSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortID: 7, Account: "tiktok-1", Platform: "tiktok", ScheduledAt: metav1.NewMicroTime(at.Time), Media: v1beta1.PostMedia{Kind: "video"}},
		Status:     v1beta1.PostStatus{State: v1beta1.PostSuccess},
	}
	w.cluster = fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(brand).
		WithStatusSubresource(&v1beta1.Archive{}).WithInterceptorFuncs(interceptor.Funcs{Patch: w.patch, Delete: w.delete}).Build()
	a := &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: v1beta1.ArchiveName}}
	a.Status.Segments = []v1beta1.ArchiveSegment{{Name: "2026-10/abcdefgh", Shorts: 1, Posts: 1}}
	w.must(w.cluster.Create(t.Context(), a))
	w.must(w.cluster.Status().Update(t.Context(), a))
	w.sees(a)

	store := &oneSegment{
		short: archive.Short{ID: 7, Kind: "Slideshow", Brand: "acme", State: "succeeded", CreatedAt: at.Time, ArchivedAt: at.Time.Add(time.Hour), Objects: document(t, w.show, w.render)},
		post:  archive.Post{ID: 31, ShortID: 7, Brand: "acme", Account: "tiktok-1", Platform: "tiktok", State: string(v1beta1.PostSuccess), ArchivedAt: at.Time.Add(time.Hour)},
	}
	w.archivePost(store, w.post)
	x, posts := index.New(clock.RealClock{}), index.NewPosts(clock.RealClock{})
	lists := read.Client(w.cluster, x, posts)
	w.Service = &Service{
		Reader: &read.Reader{
			Cached: w.cluster, Live: w.cluster, Index: x, Posts: posts, Media: index.NewMedia(clock.RealClock{}, "library"),
			Archive: archived.NewLoader(w.objects, store, x, posts, archived.MostBytes),
		},
		Client: lists, Live: lists, Clock: clock.RealClock{},
		Sign: func(_ context.Context, key string, _ time.Duration) (string, error) {
			return "https://x.example/" + key, nil
		},
	}
	w.call = &operation.Call{Caller: &auth.Caller{Key: &v1beta1.APIKey{ObjectMeta: metav1.ObjectMeta{Namespace: "n"}}, Brand: brand}}
	return w
}

func (w *archiveWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *archiveWorld) archivePost(store *oneSegment, p *v1beta1.Post) {
	doc, err := archive.Encode(p)
	w.must(err)
	store.post.Object = doc
}

func document(t *testing.T, show *v1beta1.Slideshow, render *v1beta1.RenderJob) []byte {
	t.Helper()
	doc, err := archive.EncodeAll([]client.Object{show, render})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// latest returns the Archive as the informer has it, and how many restores were requested.
func (w *archiveWorld) latest() (*v1beta1.Archive, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.have.DeepCopy(), w.requested
}

// sees sends the event of an Archive. The caller holds the lock, unless no manager is at work.
func (w *archiveWorld) sees(a *v1beta1.Archive) {
	a = a.DeepCopy()
	if w.have == nil {
		w.objects.Events().OnAdd(a, true)
	} else {
		w.objects.Events().OnUpdate(w.have, a)
	}
	w.have = a
}

func (w *archiveWorld) patch(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	a, ok := o.(*v1beta1.Archive)
	if !ok {
		return c.Patch(ctx, o, p, opts...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conflicts--; w.conflicts >= 0 {
		return apierrors.NewConflict(schema.GroupResource{Resource: "archives"}, a.Name, errors.New("changed"))
	}
	if err := c.Patch(ctx, o, p, opts...); err != nil {
		return err
	}
	w.requested++
	w.sees(a)
	if w.manager != nil {
		go w.manager(a.DeepCopy())
	}
	return nil
}

func (w *archiveWorld) delete(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
	if then := w.onDelete; then != nil {
		w.onDelete = nil
		then()
	}
	return c.Delete(ctx, o, opts...)
}

// restores is a manager that restores everything in the order of the protocol: the objects become visible one by one,
// and the request ends last.
func (w *archiveWorld) restores(a *v1beta1.Archive) {
	ctx := context.Background()
	show, render, post := w.show.DeepCopy(), w.render.DeepCopy(), w.post.DeepCopy()
	for _, o := range []client.Object{show, render, post} {
		if err := w.cluster.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			w.t.Error(err)
		}
	}
	part := func(o client.Object) any {
		out, err := read.Trim(o.DeepCopyObject())
		if err != nil {
			w.t.Error(err)
		}
		return out
	}
	w.Reader.Index.Slideshows().OnAdd(part(show), false)
	w.Reader.Posts.Events().OnAdd(part(post), false)
	w.Reader.Index.RenderJobs().OnAdd(part(render), false)
	w.mu.Lock()
	defer w.mu.Unlock()
	a.Status.Segments[0].Removed = []int64{7}
	if err := w.cluster.Status().Update(ctx, a); err != nil {
		w.t.Error(err)
	}
	a.Spec.Restore = nil
	if err := w.cluster.Update(ctx, a); err != nil {
		w.t.Error(err)
	}
	w.sees(a)
}

// statusOf returns the HTTP status and the code of an error; 200 without one.
func statusOf(err error) (int, catalog.Code) {
	if err == nil {
		return http.StatusOK, ""
	}
	p := problem.From(err, "")
	return p.Status, p.Code
}

func TestLiveShort_RestoresAnArchivedShort(t *testing.T) {
	w := newArchiveWorld(t)
	w.manager = w.restores
	for range 2 {
		short, err := w.liveShort(t.Context(), w.call, 7)
		if err != nil || short.Archived != nil || len(short.Renders) != 1 || read.Partial(short.Show) {
			t.Fatalf("got %+v, %v", short, err)
		}
	}
	if w.requested != 1 {
		t.Errorf("%d restores were requested", w.requested)
	}
	if _, err := w.liveShort(t.Context(), w.call, 8); !errors.Is(err, read.ErrNotFound) {
		t.Errorf("an unknown short: %v", err)
	}
}

// TestLiveShort_WithoutAnAnswerOfTheManager waits ten seconds. The request stays in the Archive, and costs nothing.
func TestLiveShort_WithoutAnAnswerOfTheManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newArchiveWorld(t)
		began := time.Now()
		_, err := w.liveShort(t.Context(), w.call, 7)
		p := problem.From(err, "")
		if p.Status != http.StatusServiceUnavailable || p.RetryAfter != restoreAgain || time.Since(began) != restoreWait {
			t.Errorf("got %v after %s", p, time.Since(began))
		}
		a, _ := w.latest()
		if !slices.Equal(a.Spec.Restore, []int64{7}) {
			t.Errorf("the Archive restores %v", a.Spec.Restore)
		}
		go w.restores(a) // the next request waits for the same restore
		_, err = w.liveShort(t.Context(), w.call, 7)
		if _, requested := w.latest(); err != nil || requested != 1 {
			t.Errorf("the second request: %v, %d restores requested", err, requested)
		}
	})
}

func TestRequestRestore(t *testing.T) {
	full := make([]int64, v1beta1.MaxArchiveRestores)
	for i := range full {
		full[i] = int64(100 + i)
	}
	for _, c := range []struct {
		why       string
		restoring []int64
		conflicts int
		status    int
		want      int // shorts to restore afterwards
	}{
		{"the first", nil, 0, http.StatusOK, 1},
		{"one of several", []int64{8, 9}, 0, http.StatusOK, 3},
		{"already requested", []int64{8, 7}, recall.Tries, http.StatusOK, 2},
		{"the last place", full[1:], 0, http.StatusOK, len(full)},
		{"no place", full, 0, http.StatusServiceUnavailable, len(full)},
		{"no place, but already requested", append([]int64{7}, full[1:]...), 0, http.StatusOK, len(full)},
		{"some conflicts", []int64{8}, recall.Tries - 1, http.StatusOK, 2},
		{"only conflicts", []int64{8}, recall.Tries, http.StatusServiceUnavailable, 1},
	} {
		w := newArchiveWorld(t)
		a := w.have.DeepCopy()
		a.Spec.Restore = c.restoring
		w.must(w.cluster.Update(t.Context(), a))
		w.conflicts = c.conflicts
		if status, _ := statusOf(w.requestRestore(t.Context(), "n", 7)); status != c.status {
			t.Errorf("%s: status %d, want %d", c.why, status, c.status)
		}
		w.must(w.cluster.Get(t.Context(), client.ObjectKeyFromObject(a), a))
		if len(a.Spec.Restore) != c.want {
			t.Errorf("%s: %d shorts to restore, want %d", c.why, len(a.Spec.Restore), c.want)
		}
	}
	w := newArchiveWorld(t)
	w.must(w.cluster.Delete(t.Context(), w.have.DeepCopy()))
	if w.requestRestore(t.Context(), "n", 7) == nil {
		t.Error("without an Archive a restore is requested")
	}
}

// TestChange_RestoresOnlyForAnEditThatIsWritten edits an archived slideshow.
func TestChange_RestoresOnlyForAnEditThatIsWritten(t *testing.T) {
	for _, c := range []struct {
		why      string
		edit     deck.Edit
		status   int
		restores int
	}{
		{"a slide that does not exist", deck.Edit{Remove: 99}, http.StatusNotFound, 0},
		{"no change", deck.Edit{Title: ptr.To("Sleep")}, http.StatusOK, 0},
		{"another title", deck.Edit{Title: ptr.To("Sleep well")}, http.StatusOK, 1},
	} {
		w := newArchiveWorld(t)
		w.manager = w.restores
		reply, err := w.change(t.Context(), w.call, 7, &c.edit, nil, nil)
		if status, code := statusOf(err); status != c.status || w.requested != c.restores {
			t.Errorf("%s: %d %s (%v) and %d restores", c.why, status, code, err, w.requested)
			continue
		}
		if c.status == http.StatusOK && (*reply.Data.Title != *c.edit.Title || (reply.Data.ArchivedAt != nil) == (c.restores > 0)) {
			t.Errorf("%s: title %s, archived at %v", c.why, *reply.Data.Title, reply.Data.ArchivedAt)
		}
	}
}

// TestCancelPost_EndedAndArchived is refused as before, without a restore.
func TestCancelPost_EndedAndArchived(t *testing.T) {
	w := newArchiveWorld(t)
	_, err := w.cancelPost(t.Context(), w.call, byPostID{ID: 31})
	if status, code := statusOf(err); status != http.StatusConflict || code != catalog.NotCancellable || w.requested != 0 {
		t.Errorf("got %d %s and %d restores", status, code, w.requested)
	}
	reply, err := w.onePost(t.Context(), w.call, byPostID{ID: 31})
	if err != nil || reply.Data.ArchivedAt == nil || reply.Data.Status != "success" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// TestRenderSlideshow_ThatHasAVideoAndIsArchived is refused as before, without a restore.
func TestRenderSlideshow_ThatHasAVideoAndIsArchived(t *testing.T) {
	w := newArchiveWorld(t)
	_, err := w.renderSlideshow(t.Context(), w.call, renderInput{ID: 7})
	if status, code := statusOf(err); status != http.StatusConflict || code != catalog.Conflict || w.requested != 0 {
		t.Errorf("got %d %s (%v) and %d restores", status, code, err, w.requested)
	}
}

// TestChangePost_RestoresAPostThatIsWritten changes an archived post, also one whose short was deleted.
func TestChangePost_RestoresAPostThatIsWritten(t *testing.T) {
	for _, withShort := range []bool{true, false} {
		w := newArchiveWorld(t)
		seen := 0
		w.manager = func(a *v1beta1.Archive) {
			if !withShort {
				w.show.Labels = nil // the index never has a short with this id
			}
			w.restores(a)
		}
		reply, err := w.changePost(t.Context(), w.call, 31, func(_ context.Context, p *v1beta1.Post) (bool, error) {
			seen++
			p.Spec.Title = fmt.Sprint("title ", seen)
			return true, nil
		})
		if err != nil || *reply.Data.Title != "title 2" || reply.Data.ArchivedAt != nil || w.requested != 1 {
			t.Errorf("got %+v, %v, %d restores", reply, err, w.requested)
		}
	}
}

// TestDeleteShort_ThatIsLeavingForTheArchive would leave its row in the archive if it deleted the object that leaves.
func TestDeleteShort_ThatIsLeavingForTheArchive(t *testing.T) {
	w := newArchiveWorld(t)
	w.manager = w.restores
	if _, err := w.liveShort(t.Context(), w.call, 7); err != nil {
		t.Fatal(err)
	}
	w.onDelete = func() { // the manager archives the short again
		show := &v1beta1.Slideshow{}
		w.must(w.cluster.Get(t.Context(), client.ObjectKeyFromObject(w.show), show))
		before := show.DeepCopy()
		show.Labels[v1beta1.LabelArchived] = "7"
		w.must(w.cluster.Patch(t.Context(), show, client.MergeFrom(before)))
		w.must(w.cluster.Delete(t.Context(), show))
		w.Reader.Index.Slideshows().OnDelete(show)
		w.mu.Lock()
		defer w.mu.Unlock()
		a := w.have.DeepCopy()
		a.Status.Segments[0].Removed = nil
		w.must(w.cluster.Status().Update(t.Context(), a))
		w.sees(a)
	}
	reply, err := w.deleteShort(t.Context(), w.call, byID{ID: 7})
	a, requested := w.latest()
	if err != nil || !reply.Data.Deleted || requested != 2 {
		t.Fatalf("got %+v, %v, %d restores", reply, err, requested)
	}
	err = w.cluster.Get(t.Context(), client.ObjectKeyFromObject(w.show), &v1beta1.Slideshow{})
	if !apierrors.IsNotFound(err) || !slices.Equal(a.Status.Segments[0].Removed, []int64{7}) {
		t.Errorf("the short is left: %v, removed rows %v", err, a.Status.Segments[0].Removed)
	}
}
