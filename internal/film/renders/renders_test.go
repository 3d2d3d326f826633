// SPDX-License-Identifier: Apache-2.0

package renders_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/work/outcome"
)

// render returns a RenderJob of a revision; with an empty state it has no work yet.
func render(name string, revision int64, state v1beta1.WorkState) v1beta1.RenderJob {
	r := v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.RenderJobSpec{Revision: &revision}}
	if state != "" {
		r.Status.Work = &v1beta1.Work{State: state}
	}
	if state == v1beta1.WorkSucceeded {
		r.Status.Output = &v1beta1.RenderOutput{BlobKey: name}
	}
	return r
}

func TestVideo_OfARevision(t *testing.T) {
	done, bad, busy := v1beta1.WorkSucceeded, v1beta1.WorkFailed, v1beta1.WorkProcessing
	for name, c := range map[string]struct {
		all                       []v1beta1.RenderJob // of revision 2, the newest first
		finished, latest, running string
		stale                     bool
	}{
		"none":                            {},
		"requested":                       {[]v1beta1.RenderJob{render("a", 2, "")}, "", "a", "a", false},
		"finished":                        {[]v1beta1.RenderJob{render("a", 2, done)}, "a", "a", "", false},
		"finished, then tried again":      {[]v1beta1.RenderJob{render("b", 2, bad), render("a", 2, done)}, "a", "a", "", false},
		"failed twice":                    {[]v1beta1.RenderJob{render("b", 2, bad), render("a", 2, bad)}, "", "b", "", false},
		"of an earlier revision":          {[]v1beta1.RenderJob{render("a", 1, done)}, "", "", "", true},
		"earlier finished, current runs":  {[]v1beta1.RenderJob{render("b", 2, busy), render("a", 1, done)}, "", "b", "b", true},
		"earlier and current finished":    {[]v1beta1.RenderJob{render("b", 2, done), render("a", 1, done)}, "b", "b", "", false},
		"the controller chose a revision": {[]v1beta1.RenderJob{{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: v1beta1.RenderJobStatus{Revision: 2}}}, "", "a", "a", false},
	} {
		t.Run(name, func(t *testing.T) {
			for what, got := range map[string]struct {
				r    *v1beta1.RenderJob
				want string
			}{
				"finished": {renders.Finished(c.all, 2), c.finished}, "latest": {renders.Latest(c.all, 2), c.latest}, "running": {renders.Running(c.all), c.running},
			} {
				if (got.r == nil) != (got.want == "") || got.r != nil && got.r.Name != got.want {
					t.Errorf("%s: got %+v, want %q", what, got.r, got.want)
				}
			}
			v := renders.Video(&v1beta1.Slideshow{Status: v1beta1.SlideshowStatus{Revision: 2}}, c.all)
			if got := v != nil && v.Stale; got != c.stale {
				t.Errorf("got stale %t", got)
			}
		})
	}
}

func TestOwed(t *testing.T) {
	show := func(change func(*v1beta1.Slideshow)) *v1beta1.Slideshow {
		s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Spec: v1beta1.SlideshowSpec{AutoRender: true}}
		s.Status = v1beta1.SlideshowStatus{Revision: 2, WorkedOn: 1, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded}}
		change(s)
		return s
	}
	for name, c := range map[string]struct {
		change func(*v1beta1.Slideshow)
		all    []v1beta1.RenderJob
		want   bool
	}{
		"rendered slides":    {func(*v1beta1.Slideshow) {}, nil, true},
		"an earlier video":   {func(*v1beta1.Slideshow) {}, []v1beta1.RenderJob{render("a", 1, v1beta1.WorkSucceeded)}, true},
		"requested":          {func(*v1beta1.Slideshow) {}, []v1beta1.RenderJob{render("a", 2, "")}, false},
		"failed":             {func(*v1beta1.Slideshow) {}, []v1beta1.RenderJob{render("a", 2, v1beta1.WorkFailed)}, false},
		"without autoRender": {func(s *v1beta1.Slideshow) { s.Spec.AutoRender = false }, nil, false},
		"suspended":          {func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }, nil, false},
		"slides in progress": {func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkProcessing }, nil, false},
		"no slides":          {func(s *v1beta1.Slideshow) { s.Status.Work = nil }, nil, false},
		"edited since": {func(s *v1beta1.Slideshow) {
			s.Generation, s.Annotations = 2, map[string]string{"internal.reelops.dev/outdated": "true"}
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := renders.Owed(show(c.change), c.all); got != c.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestSort_NewestFirst(t *testing.T) {
	at := func(name string, second int64) v1beta1.RenderJob {
		r := render(name, 1, "")
		r.CreationTimestamp = metav1.NewTime(time.Unix(second, 0))
		return r
	}
	all := []v1beta1.RenderJob{at("s-r1-9", 5), at("s-r1-10", 5), at("s-r1", 5), at("s-r2", 7)}
	renders.Sort(all)
	for i, want := range []string{"s-r2", "s-r1-10", "s-r1-9", "s-r1"} {
		if all[i].Name != want {
			t.Errorf("place %d: got %s, want %s", i, all[i].Name, want)
		}
	}
}

func TestNew_OfBothKindsAndOfNoOther(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: "acme", Name: "tea", UID: "1", Labels: map[string]string{v1beta1.LabelID: "7", v1beta1.LabelBrand: "b"}}
	show := &v1beta1.Slideshow{ObjectMeta: meta, Status: v1beta1.SlideshowStatus{Revision: 3}}
	if got := renders.Name(show, []v1beta1.RenderJob{render("tea-r3", 3, v1beta1.WorkFailed)}); got != "tea-r3-2" {
		t.Errorf("the second render of revision 3: got %s", got)
	}
	r, err := renders.New(show, "tea-r3", 3, scheme)
	if err != nil {
		t.Fatal(err)
	}
	if r.Namespace != "acme" || r.Spec.Source != (v1beta1.RenderSource{Kind: v1beta1.KindSlideshow, Name: "tea"}) || ptr.Deref(r.Spec.Revision, 0) != 3 ||
		r.Labels[v1beta1.LabelShort] != "7" || r.Labels[v1beta1.LabelBrand] != "b" || !metav1.IsControlledBy(r, show) || len(r.Finalizers) != 1 {
		t.Errorf("got %+v", r)
	}
	if *r.OwnerReferences[0].BlockOwnerDeletion {
		t.Error("the deletion of the short waits for the render")
	}
	if r, err = renders.New(&v1beta1.Video{ObjectMeta: meta}, "tea-film", 1, scheme); err != nil || r.Spec.Source.Kind != v1beta1.KindVideo {
		t.Errorf("got %+v %v", r, err)
	}
	if _, err = renders.New(&v1beta1.Brand{ObjectMeta: meta}, "x", 1, scheme); err == nil {
		t.Error("a Brand can be rendered")
	}
}

func TestOutput(t *testing.T) {
	out := renders.Output(&outcome.Film{Bytes: 1, SHA256: "f", DurationSeconds: 1.2346, Width: 2, Height: 3, Frames: 4})
	if *out != (v1beta1.RenderOutput{Bytes: 1, SHA256: "f", DurationMilliseconds: 1235, Width: 2, Height: 3, Frames: 4}) {
		t.Errorf("got %+v", out)
	}
}
