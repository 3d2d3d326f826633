// SPDX-License-Identifier: Apache-2.0

package oldfiles

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// Keys of the slideshow of edited: its first slide has not changed since revision 1, its second one was drawn twice.
var (
	current = []string{
		"shorts/acme/tea/r1-aaaaaaaa/slide-1.png", "shorts/acme/tea/r1-aaaaaaaa/layer-1.png",
		"shorts/acme/tea/r1-aaaaaaaa/background-1.jpg", "shorts/acme/tea/r2-bbbbbbbb/slide-2.png",
		"shorts/acme/tea/r2-bbbbbbbb/layer-2.png", "shorts/acme/tea/r2-bbbbbbbb/preview.jpg",
		"shorts/acme/tea/r2-bbbbbbbb/thumbnail.jpg",
	}
	superseded = []string{
		"shorts/acme/tea/r1-aaaaaaaa/slide-2.png", "shorts/acme/tea/r1-aaaaaaaa/layer-2.png",
		"shorts/acme/tea/r1-aaaaaaaa/preview.jpg", "shorts/acme/tea/r2-cccccccc/slide-2.png",
	}
	others = []string{ // of the next revision, no drawings, or of no slideshow in the cluster
		"shorts/acme/tea/r3-dddddddd/slide-2.png", "shorts/acme/tea/speech-0011223344556677",
		"shorts/acme/tea/ai/ai-1.jpg", "shorts/acme/tea/stock/pexels-1.jpg", "shorts/acme/archived/r1-aaaaaaaa/slide-1.png",
	}
)

// edited returns a slideshow at revision 2, on which work ended at a time.
func edited(at time.Time) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
		Namespace: "acme", Name: "tea", UID: "tea", Labels: map[string]string{v1beta1.LabelID: "7"},
	}}
	s.Status = v1beta1.SlideshowStatus{
		Revision: 2, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, FinishedAt: &metav1.Time{Time: at}},
		PreviewKey: current[5], ThumbnailKey: current[6],
		Slides: []v1beta1.Slide{
			{ID: 1, PictureKey: current[0], LayerKey: current[1], Background: v1beta1.SlideBackground{BlobKey: current[2]}},
			{ID: 2, PictureKey: current[3], LayerKey: current[4]},
		},
	}
	return s
}

func of(short string, o client.Object) client.Object {
	o.SetNamespace("acme")
	o.SetName("child")
	o.SetLabels(map[string]string{v1beta1.LabelShort: short})
	return o
}

func TestPass_DeletesSlidesOfEarlierRevisions(t *testing.T) {
	const age = 30 * 24 * time.Hour
	rested := time.Now().Add(age - slideAge - time.Minute)
	posted := func() *v1beta1.Post {
		p := post("", v1beta1.PostSuccess, time.Now())
		p.Spec.Media.PhotoKeys = superseded[:1]
		return p
	}
	covered := post("", v1beta1.PostScheduled, time.Time{})
	covered.Spec.Media.Cover = &v1beta1.PostMediaCover{ImageKey: superseded[0]}
	batch := &v1beta1.PostBatch{}
	batch.Spec.Accounts = []v1beta1.PostTarget{{Accepted: &v1beta1.AcceptedPost{
		Media: v1beta1.PostMedia{PhotoKeys: superseded[:1]},
	}}}
	ended := &v1beta1.RenderJob{}
	ended.Status.Work = &v1beta1.Work{State: v1beta1.WorkFailed}
	working := edited(rested)
	working.Status.Work.State = v1beta1.WorkProcessing
	again := edited(rested)
	again.UID = "again"
	for _, c := range []struct {
		why string
		// live are the objects of the API server, cached those of the cache; nil for the same.
		live, cached []client.Object
		left         []string // of superseded
	}{
		{why: "at rest", live: []client.Object{edited(rested)}},
		{why: "edited recently", live: []client.Object{edited(rested.Add(2 * time.Minute))}, left: superseded},
		{why: "being edited", live: []client.Object{working}, left: superseded},
		{
			why:  "being edited, which the cache does not show",
			live: []client.Object{working}, cached: []client.Object{edited(rested)}, left: superseded,
		},
		{why: "deleted, which the cache does not show", cached: []client.Object{edited(rested)}, left: superseded},
		{
			why:  "created again, which the cache does not show",
			live: []client.Object{again}, cached: []client.Object{edited(rested)}, left: superseded,
		},
		{
			why:  "published as photos",
			live: []client.Object{edited(rested), of("7", posted())}, left: superseded[:1],
		},
		{
			why:  "published as photos, which the cache does not show",
			live: []client.Object{edited(rested), of("7", posted())}, cached: []client.Object{edited(rested)},
			left: superseded[:1],
		},
		{why: "the cover of a post", live: []client.Object{edited(rested), of("7", covered)}, left: superseded[:1]},
		{why: "accepted in a batch", live: []client.Object{edited(rested), of("7", batch)}, left: superseded[:1]},
		{
			why:  "a render has not ended",
			live: []client.Object{edited(rested), of("7", &v1beta1.RenderJob{})}, left: superseded,
		},
		{why: "a render has ended", live: []client.Object{edited(rested), of("7", ended)}},
		{why: "not in the cluster", left: superseded},
	} {
		t.Run(c.why, func(t *testing.T) {
			if c.cached == nil {
				c.cached = c.live
			}
			p := purge(t, age, cluster(c.cached), slices.Concat(current, superseded, others)...)
			p.Live = cluster(c.live)
			n, err := p.Pass(t.Context())
			if err != nil || n != len(superseded)-len(c.left) {
				t.Errorf("deleted %d files, %v", n, err)
			}
			want := slices.Sorted(slices.Values(slices.Concat(current, c.left, others)))
			if got := testkit.Keys(t, p.Store); !slices.Equal(got, want) {
				t.Errorf("left %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func cluster(objects []client.Object) client.WithWatch {
	var copies []client.Object
	for _, o := range objects {
		copies = append(copies, o.DeepCopyObject().(client.Object))
	}
	return fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(copies...).Build()
}

func TestPass_DeletesNoSlidesThatItCannotJudge(t *testing.T) {
	const age = 30 * 24 * time.Hour
	for kind, list := range map[string]func(client.ObjectList) bool{
		"slideshows": func(l client.ObjectList) bool { _, ok := l.(*v1beta1.SlideshowList); return ok },
		"renders":    func(l client.ObjectList) bool { _, ok := l.(*v1beta1.RenderJobList); return ok },
		"batches":    func(l client.ObjectList) bool { _, ok := l.(*v1beta1.PostBatchList); return ok },
		"posts":      func(l client.ObjectList) bool { _, ok := l.(*v1beta1.PostList); return ok },
	} {
		c := cluster([]client.Object{edited(time.Now())})
		p := purge(t, age, c, superseded...)
		p.Live = interceptor.NewClient(c, interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				if list(l) {
					return errors.New("no cluster")
				}
				return c.List(ctx, l, opts...)
			},
		})
		if n, err := p.Pass(t.Context()); n != 0 || err == nil {
			t.Errorf("without %s: deleted %d files, %v", kind, n, err)
		}
	}
}

// The archive hides a slideshow and then deletes its posts, at any time during a pass.
func TestPass_KeepsSlidesOfAShortThatIsBeingArchived(t *testing.T) {
	const age = 30 * 24 * time.Hour
	posted := of("7", post("", v1beta1.PostSuccess, time.Now())).(*v1beta1.Post)
	posted.Spec.Media.PhotoKeys = superseded
	for calls := range 4 {
		short := edited(time.Now())
		objects := cluster([]client.Object{short, posted})
		p := purge(t, age, cluster([]client.Object{short}), superseded...)
		n := 0
		p.Live = interceptor.NewClient(objects, interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				if n++; n == calls+1 {
					if err := c.Get(ctx, client.ObjectKeyFromObject(short), short); err != nil {
						return err
					}
					short.Labels[v1beta1.LabelArchived] = "7"
					if err := errors.Join(c.Update(ctx, short), c.Delete(ctx, posted)); err != nil {
						return err
					}
				}
				return c.List(ctx, l, opts...)
			},
		})
		if _, err := p.Pass(t.Context()); err != nil {
			t.Error(err)
		}
		if got := testkit.Keys(t, p.Store); n != 4 || len(got) != len(superseded) {
			t.Errorf("archived before call %d of %d: left %v", calls+1, n, got)
		}
	}
}
