// SPDX-License-Identifier: Apache-2.0

package read_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/store/archive"
)

// segmentFile has the rows of a segment.
type segmentFile struct {
	shorts []archive.Short
	posts  []archive.Post
}

// fakeStore has segments by name. A missing one is damaged.
type fakeStore struct {
	segments map[string]*segmentFile
	// missing, unless nil, is called when a segment is missing.
	missing func()
	fail    error
	rows    atomic.Int32 // calls that read rows
}

func (f *fakeStore) get(s *v1beta1.ArchiveSegment) (*segmentFile, error) {
	file := f.segments[s.Name]
	if file == nil {
		if f.missing != nil {
			f.missing()
		}
		return &segmentFile{}, archive.ErrDamaged
	}
	return file, f.fail
}

func (f *fakeStore) ShortKeys(_ context.Context, _ string, s *v1beta1.ArchiveSegment) (out []archive.ShortKey, err error) {
	file, err := f.get(s)
	for _, r := range file.shorts {
		out = append(out, archive.ShortKey{ID: r.ID, CreatedAt: r.CreatedAt, Kind: r.Kind, Brand: r.Brand, State: r.State})
	}
	return out, err
}

func (f *fakeStore) PostKeys(_ context.Context, _ string, s *v1beta1.ArchiveSegment) (out []archive.PostKey, err error) {
	file, err := f.get(s)
	for _, r := range file.posts {
		out = append(out, archive.PostKey{
			ID: r.ID, ShortID: r.ShortID, CreatedAt: r.CreatedAt, ScheduledAt: r.ScheduledAt, Immediate: r.Immediate,
			Brand: r.Brand, Account: r.Account, Platform: r.Platform, State: r.State,
		})
	}
	return out, err
}

func (f *fakeStore) Texts(_ context.Context, _ string, s *v1beta1.ArchiveSegment) (out []archive.Text, err error) {
	file, err := f.get(s)
	for _, r := range file.shorts {
		out = append(out, archive.Text{Title: r.Title, Caption: r.Caption, Text: r.Text})
	}
	return out, err
}

func (f *fakeStore) Shorts(_ context.Context, _ string, s *v1beta1.ArchiveSegment, rows []int) (out []archive.Short, err error) {
	f.rows.Add(1)
	file, err := f.get(s)
	for _, n := range rows {
		if err == nil {
			out = append(out, file.shorts[n])
		}
	}
	return out, err
}

func (f *fakeStore) Posts(_ context.Context, _ string, s *v1beta1.ArchiveSegment, rows []int) (out []archive.Post, err error) {
	f.rows.Add(1)
	file, err := f.get(s)
	for _, n := range rows {
		if err == nil {
			out = append(out, file.posts[n])
		}
	}
	return out, err
}

var archivedAt = stamp(5000).UTC()

// document returns objects as a row has them.
func document(t *testing.T, objects ...client.Object) []byte {
	t.Helper()
	out, err := archive.EncodeAll(objects)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shortRow returns the row of a slideshow or a video with its renders.
func shortRow(t *testing.T, o client.Object, renders ...v1beta1.RenderJob) archive.Short {
	t.Helper()
	objects := []client.Object{o, &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Name: "owned"}}}
	for i := range renders {
		objects = append(objects, &renders[i])
	}
	r := archive.Short{ID: read.ID(o), Kind: "Slideshow", Brand: "b", CreatedAt: o.GetCreationTimestamp().Time, ArchivedAt: archivedAt, Objects: document(t, objects...)}
	work := (*v1beta1.Work)(nil)
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		work, r.Brand = o.Status.Work, o.Spec.BrandRef.Name
	case *v1beta1.Video:
		work, r.Kind, r.Brand = o.Status.Work, "Video", o.Spec.BrandRef.Name
	}
	r.State, r.Title = string(work.State), "Sleep well"
	return r
}

// library is a reader with an index, an archive, and a cluster for live reads.
type library struct {
	read.Reader
	objects *archived.Objects
	store   *fakeStore
	live    []client.Object
	have    *v1beta1.Archive
}

func newLibrary() *library {
	l := &library{objects: archived.NewObjects(), store: &fakeStore{segments: map[string]*segmentFile{}}}
	l.Index, l.Posts = index.New(clock.RealClock{}), index.NewPosts(clock.RealClock{})
	l.Archive = archived.NewLoader(l.objects, l.store, l.Index, l.Posts, archived.MostBytes)
	l.Live = interceptor.NewClient(nil, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, to client.Object, _ ...client.GetOption) error {
			for _, o := range l.live {
				if client.ObjectKeyFromObject(o) != key {
					continue
				}
				switch to := to.(type) {
				case *v1beta1.Slideshow:
					if o, ok := o.(*v1beta1.Slideshow); ok {
						o.DeepCopyInto(to)
						return nil
					}
				case *v1beta1.Post:
					if o, ok := o.(*v1beta1.Post); ok {
						o.DeepCopyInto(to)
						return nil
					}
				}
			}
			return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
		},
	})
	return l
}

// set replaces the segments of the archive.
func (l *library) set(segments map[string]*segmentFile) {
	old := l.have
	l.store.segments = segments
	l.have = &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: v1beta1.ArchiveName, ResourceVersion: fmt.Sprint(time.Now().UnixNano())}}
	for name, file := range segments {
		l.have.Status.Segments = append(l.have.Status.Segments, v1beta1.ArchiveSegment{Name: name, Shorts: int32(len(file.shorts)), Posts: int32(len(file.posts))})
	}
	if old == nil {
		l.objects.Events().OnAdd(l.have, false)
	} else {
		l.objects.Events().OnUpdate(old, l.have)
	}
}

func everyOne(n int) (int, int) { return 0, n }

// unarchived returns a page without the places in the archive. It fails if a record is not archived.
func unarchived(t *testing.T, page []index.Short) []index.Short {
	t.Helper()
	out := slices.Clone(page)
	for i := range out {
		if row := out[i].Archived; row == nil || !row.ArchivedAt.Equal(archivedAt) {
			t.Errorf("short %d has the row %v", out[i].ID, row)
		}
		out[i].Archived = nil
	}
	return out
}

// TestShorts_ArchivedShortsAreListedAsBefore compares a list of the cache with the list after all shorts were archived.
func TestShorts_ArchivedShortsAreListedAsBefore(t *testing.T) {
	drawn, failed, made := shows()["drawn"], shows()["failed"], videos()["made"]
	for i, o := range []client.Object{drawn, failed, made} {
		o.SetLabels(map[string]string{v1beta1.LabelID: fmt.Sprint(7 + i)})
		o.SetName(fmt.Sprint("short-", 7+i))
		o.SetGeneration(1)
	}
	job := render(v1beta1.WorkSucceeded, 1)
	job.Labels, job.Spec.Source.Name = map[string]string{v1beta1.LabelShort: "7"}, "short-7"
	stray := render(v1beta1.WorkSucceeded, 1)
	stray.Name, stray.Spec.Source.Name = "of-a-copy", "another"
	before := newLibrary()
	before.Index.Slideshows().OnAdd(trimmed(t, drawn), true)
	before.Index.Slideshows().OnAdd(trimmed(t, failed), true)
	before.Index.Videos().OnAdd(trimmed(t, made), true)
	before.Index.RenderJobs().OnAdd(trimmed(t, &job), true)
	want, err := before.Shorts(t.Context(), "n", "b", index.Filter{}, everyOne)
	if err != nil || len(want) != 3 || len(want[2].Renders) != 1 {
		t.Fatalf("got %v, %v", want, err)
	}
	after := newLibrary()
	after.set(map[string]*segmentFile{
		"2026-10/a": {shorts: []archive.Short{shortRow(t, drawn, stray, job)}},
		"2026-10/b": {shorts: []archive.Short{shortRow(t, failed), shortRow(t, made)}},
	})
	got, err := after.Shorts(t.Context(), "n", "b", index.Filter{}, everyOne)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(want, unarchived(t, got)); d != "" {
		t.Errorf("the list differs: %s", d)
	}
	if n := after.store.rows.Load(); n != 2 {
		t.Errorf("a page of 2 segments took %d calls", n)
	}
	one, err := after.Short(t.Context(), "n", "b", 7)
	if d := gocmp.Diff(want[2:], unarchived(t, []index.Short{one})); d != "" || err != nil {
		t.Errorf("%v: the short differs: %s", err, d)
	}
	whole, err := after.WholeShort(t.Context(), "n", "b", 7)
	if err != nil || read.Partial(whole.Show) || whole.Show.Spec.Context != drawn.Spec.Context || len(whole.Renders) != 1 || read.Partial(&whole.Renders[0]) {
		t.Errorf("%v: the short is not whole", err)
	}
	query := textsearch.Parse("sleep")
	got, err = after.Shorts(t.Context(), "n", "b", index.Filter{Query: &query, Status: "failed"}, everyOne)
	if err != nil || len(got) != 1 || got[0].Show == nil {
		t.Errorf("a search returns %v, %v", got, err)
	}
	if got, err := after.Shorts(t.Context(), "n", "b", index.Filter{Live: true}, everyOne); err != nil || len(got) != 0 {
		t.Errorf("shorts in the cluster: %v, %v", got, err)
	}
}

// TestShortByID_InTheClusterOrTheArchive looks up a short at each stage of its move. The cache may be late.
func TestShortByID_InTheClusterOrTheArchive(t *testing.T) {
	show := func(label, brand string) *v1beta1.Slideshow {
		s := shows()["drawn"]
		s.Spec.BrandRef.Name, s.Generation = brand, 1
		if label != "" {
			s.Labels[label] = "7"
		}
		return s
	}
	const inCluster, inArchive, nowhere, retry = "in the cluster", "in the archive", "nowhere", "retry"
	for _, c := range []struct {
		why                    string
		cached, live, archived *v1beta1.Slideshow
		part, whole            string
	}{
		{"in the cluster only", show("", "b"), show("", "b"), nil, inCluster, inCluster},
		{"in both", show("", "b"), show("", "b"), show("", "b"), inCluster, inCluster},
		{"leaving", show("", "b"), show(v1beta1.LabelArchived, "b"), show("", "b"), inCluster, inArchive},
		{"leaving, and hidden", nil, show(v1beta1.LabelArchived, "b"), show("", "b"), inArchive, inArchive},
		{"leaving, and the Archive is late", nil, show(v1beta1.LabelArchived, "b"), nil, retry, retry},
		{"leaving, and all is late", show("", "b"), show(v1beta1.LabelArchived, "b"), nil, inCluster, retry},
		{"gone, and the cache is late", show("", "b"), nil, show("", "b"), inCluster, inArchive},
		{"in the archive only", nil, nil, show("", "b"), inArchive, inArchive},
		{"coming back", nil, show(v1beta1.LabelRestoring, "b"), show("", "b"), inArchive, inArchive},
		{"back, and the cache is late", nil, show("", "b"), nil, inCluster, inCluster},
		{"another brand's in the archive", nil, nil, show("", "other"), nowhere, nowhere},
		{"deleted", show("", "b"), nil, nil, inCluster, nowhere},
	} {
		l := newLibrary()
		if c.cached != nil {
			l.Index.Slideshows().OnAdd(trimmed(t, c.cached), true)
		}
		if c.live != nil {
			l.live = []client.Object{c.live}
		}
		if c.archived != nil {
			l.set(map[string]*segmentFile{"2026-10/a": {shorts: []archive.Short{shortRow(t, c.archived)}}})
		}
		place := func(s index.Short, err error) string {
			switch {
			case errors.Is(err, read.ErrNotFound):
				return nowhere
			case err != nil && problem.From(err, "").Status == http.StatusServiceUnavailable:
				return retry
			case err != nil:
				return err.Error()
			case s.Archived != nil:
				return inArchive
			}
			return inCluster
		}
		if got := place(l.Short(t.Context(), "n", "b", 7)); got != c.part {
			t.Errorf("%s: in part %s, want %s", c.why, got, c.part)
		}
		if got := place(l.WholeShort(t.Context(), "n", "b", 7)); got != c.whole {
			t.Errorf("%s: whole %s, want %s", c.why, got, c.whole)
		}
	}
}

// archivedPosts returns a successful and a cancelled post of short 7, and a failed one of short 8.
func archivedPosts() []*v1beta1.Post {
	var out []*v1beta1.Post
	for i, state := range []v1beta1.PostState{v1beta1.PostSuccess, v1beta1.PostCancelled, v1beta1.PostFailed} {
		p := &v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "n", Name: fmt.Sprint("post-", 1+i), UID: "u", ResourceVersion: "5", CreationTimestamp: *stamp(i),
				Labels:        map[string]string{v1beta1.LabelID: fmt.Sprint(1 + i), v1beta1.LabelBrand: "b", v1beta1.LabelShort: fmt.Sprint(7 + i/2)},
				ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "a", Time: stamp(3)}, {Manager: "b", Time: stamp(99), Subresource: "status"}},
			},
			Spec: v1beta1.PostSpec{
				BrandRef: v1beta1.LocalRef{Name: "b"}, Account: "tiktok-1", Platform: "tiktok", ShortID: int64(7 + i/2), Title: "T", Tags: []string{"a"},
				Media: v1beta1.PostMedia{Kind: "video", VideoKey: "film.mp4"}, ScheduledAt: metav1.NewMicroTime(stamp(60 * i).Time),
			},
		}
		p.Status.State = state
		out = append(out, p)
	}
	return out
}

func postRow(t *testing.T, p *v1beta1.Post) archive.Post {
	t.Helper()
	doc, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Post{
		ID: read.ID(p), ShortID: p.Spec.ShortID, Brand: p.Spec.BrandRef.Name, Account: p.Spec.Account, Platform: string(p.Spec.Platform), State: string(p.Status.State),
		Immediate: p.Spec.Immediate, CreatedAt: p.CreationTimestamp.Time, ScheduledAt: p.Spec.ScheduledAt.Time, ArchivedAt: archivedAt, Object: doc,
	}
}

// TestPublished_ArchivedPostsAreListedAsBefore compares lists and counts of the cache with those after the posts were
// archived.
func TestPublished_ArchivedPostsAreListedAsBefore(t *testing.T) {
	before, after := newLibrary(), newLibrary()
	file := &segmentFile{}
	for _, p := range archivedPosts() {
		before.Posts.Events().OnAdd(trimmed(t, p), true)
		file.posts = append(file.posts, postRow(t, p))
	}
	for _, id := range []int64{7, 8} { // a row without a kind keeps the posts of a deleted short
		file.shorts = append(file.shorts, archive.Short{ID: id, Brand: "b", ArchivedAt: archivedAt})
	}
	after.set(map[string]*segmentFile{"2026-10/a": file})
	for _, f := range []index.PostFilter{{}, {Short: 7}, {Status: v1beta1.PostFailed}, {Order: index.DueAsc}} {
		want, err := before.Published(t.Context(), "n", "b", f, everyOne)
		if err != nil {
			t.Fatal(err)
		}
		got, err := after.Published(t.Context(), "n", "b", f, everyOne)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if row := got[i].Archived; row == nil || !row.ArchivedAt.Equal(archivedAt) {
				t.Errorf("%+v: row %v", f, row)
			}
			got[i].Archived = nil
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%+v: the list differs: %s", f, d)
		}
	}
	for _, l := range []*library{before, after} {
		all, of, err := l.PostCounts(t.Context(), "n", "b", 7, v1beta1.PostSuccess, v1beta1.PostFailed)
		if err != nil || all != 2 || !slices.Equal(of, []int{1, 0}) {
			t.Errorf("got %d, %v, %v", all, of, err)
		}
		same, err := l.SamePosts(t.Context(), "n", "b", 7, "tiktok-1")
		if err != nil || !slices.Equal(same, []int64{1}) {
			t.Errorf("got %v, %v", same, err)
		}
		for id, want := range map[int64]bool{3: true, 4: false} {
			if has, err := l.HasPost(t.Context(), "n", id); err != nil || has != want {
				t.Errorf("post %d: %v, %v", id, has, err)
			}
		}
	}
	whole, err := after.WholePost(t.Context(), "n", "b", 1)
	if err != nil || whole.Archived == nil || whole.Object.Spec.Media.VideoKey != "film.mp4" {
		t.Errorf("the whole post is %v, %v", whole, err)
	}
	if _, err := after.WholePost(t.Context(), "n", "other", 1); !errors.Is(err, read.ErrNotFound) {
		t.Errorf("a post of another brand: %v", err)
	}
	live := archivedPosts()[0]
	after.live = []client.Object{live}
	after.Posts.Events().OnAdd(trimmed(t, live), false)
	if whole, err = after.WholePost(t.Context(), "n", "b", 1); err != nil || whole.Archived != nil {
		t.Errorf("a post in both: %v, %v", whole, err)
	}
	live.Labels[v1beta1.LabelArchived] = "7"
	if whole, err = after.WholePost(t.Context(), "n", "b", 1); err != nil || whole.Archived == nil {
		t.Errorf("a post that is leaving: %v, %v", whole, err)
	}
}

// TestArchive_FailuresAreNeverAWrongTotal: every read fails with 503 while the store fails.
func TestArchive_FailuresAreNeverAWrongTotal(t *testing.T) {
	l := newLibrary()
	row := shortRow(t, shows()["drawn"])
	l.set(map[string]*segmentFile{"2026-10/a": {shorts: []archive.Short{row}, posts: []archive.Post{postRow(t, archivedPosts()[0])}}})
	l.store.fail = errors.New("the bucket is not reachable")
	query := textsearch.Parse("sleep")
	reads := map[string]func() error{
		"a list": func() error {
			_, err := l.Shorts(t.Context(), "n", "b", index.Filter{}, everyOne)
			return err
		},
		"a search": func() error {
			_, err := l.Shorts(t.Context(), "n", "b", index.Filter{Query: &query}, everyOne)
			return err
		},
		"a short":       func() error { _, err := l.Short(t.Context(), "n", "b", 7); return err },
		"a whole short": func() error { _, err := l.WholeShort(t.Context(), "n", "b", 7); return err },
		"posts": func() error {
			_, err := l.Published(t.Context(), "n", "b", index.PostFilter{}, everyOne)
			return err
		},
		"a post": func() error { _, err := l.WholePost(t.Context(), "n", "b", 1); return err },
	}
	check := func(when string) {
		t.Helper()
		for what, read := range reads {
			p := problem.From(read(), "r")
			if p.Status != http.StatusServiceUnavailable || p.RetryAfter == 0 {
				t.Errorf("%s, %s: %v", what, when, p)
			}
		}
	}
	check("before the keys are loaded")
	counts := func() error {
		_, _, err := l.PostCounts(t.Context(), "n", "b", 7)
		return err
	}
	if counts() == nil {
		t.Error("posts are counted without the archive")
	}
	l.store.fail = nil
	if err := counts(); err != nil {
		t.Fatal(err)
	}
	l.store.fail = errors.New("the bucket is not reachable")
	check("while rows are read")
	if err := counts(); err != nil {
		t.Errorf("a total needs no rows: %v", err)
	}
}

// TestShorts_SearchOfTooManyArchivedShorts is refused without reading their texts; bounds of time make it possible.
func TestShorts_SearchOfTooManyArchivedShorts(t *testing.T) {
	l := newLibrary()
	row, many := shortRow(t, shows()["drawn"]), &segmentFile{}
	for i := range 100_001 {
		row.ID = int64(8 + i)
		many.shorts = append(many.shorts, row)
	}
	row.ID, row.CreatedAt = 7, row.CreatedAt.Add(24*time.Hour)
	l.set(map[string]*segmentFile{"2026-10/a": many, "2026-10/b": {shorts: []archive.Short{row}}})
	query, after := textsearch.Parse("sleep"), row.CreatedAt
	if _, err := l.Shorts(t.Context(), "n", "b", index.Filter{Query: &query}, everyOne); !errors.Is(err, read.ErrSearchTooWide) {
		t.Errorf("got %v", err)
	}
	if got, err := l.Shorts(t.Context(), "n", "b", index.Filter{Query: &query, After: &after}, everyOne); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestArchive_CompactionDuringARead replaces a segment after its keys were loaded. The reader sees the Archive a moment
// later.
func TestArchive_CompactionDuringARead(t *testing.T) {
	l := newLibrary()
	row := shortRow(t, shows()["drawn"])
	l.set(map[string]*segmentFile{"2026-10/a": {shorts: []archive.Short{row}}})
	if _, err := l.Short(t.Context(), "n", "b", 7); err != nil {
		t.Fatal(err)
	}
	l.store.segments = map[string]*segmentFile{}
	l.store.missing = func() {
		l.store.missing = nil
		l.set(map[string]*segmentFile{"2026-10/b": {shorts: []archive.Short{row}}})
	}
	if s, err := l.Short(t.Context(), "n", "b", 7); err != nil || s.Archived.Segment.Name != "2026-10/b" {
		t.Errorf("got %v, %v", s.Archived, err)
	}
}

// TestArchive_DamagedRows is answered as an internal error: a retry does not help.
func TestArchive_DamagedRows(t *testing.T) {
	for why, doc := range map[string]string{"no JSON": "[{", "no object": `[{"kind":"PostBatch"}]`, "a wrong type": `[{"kind":"Slideshow","spec":[]}]`} {
		l := newLibrary()
		row := shortRow(t, shows()["drawn"])
		row.Objects = []byte(doc)
		l.set(map[string]*segmentFile{"2026-10/a": {shorts: []archive.Short{row}}})
		_, err := l.WholeShort(t.Context(), "n", "b", 7)
		if !errors.Is(err, archive.ErrDamaged) || problem.From(err, "").Status != http.StatusInternalServerError {
			t.Errorf("%s: %v", why, err)
		}
	}
}
