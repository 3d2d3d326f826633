// SPDX-License-Identifier: Apache-2.0

package index

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kinds "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// done returns a slideshow whose generation ended at the minute and took the given time.
func done(n, minute int, took time.Duration) *v1beta1.Slideshow {
	end := epoch.Add(time.Duration(minute) * time.Minute)
	begin, finish := metav1.NewTime(end.Add(-took)), metav1.NewTime(end)
	s := &v1beta1.Slideshow{}
	s.Namespace, s.Name, s.ResourceVersion = "one", "s"+strconv.Itoa(n), strconv.Itoa(minute+1)
	s.UID = kinds.UID(s.Name)
	s.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, StartedAt: &begin, FinishedAt: &finish}
	return s
}

func TestUsual_IsTheMedianOfTheNewestWork(t *testing.T) {
	x := New(clock.RealClock{})
	if d := x.Usual(catalog.JobSlideshow); d != 0 {
		t.Errorf("got %s before any work ended", d)
	}
	feed := x.Slideshows()
	// The newest arrive first, as in an initial list: older work must not displace them.
	for n := range recentWork {
		feed.OnAdd(done(n, 1000-n, 2*time.Second), true)
	}
	for n := range 3 * recentWork {
		feed.OnAdd(done(100+n, n, time.Minute), true)
	}
	if d := x.Usual(catalog.JobSlideshow); d != 2*time.Second {
		t.Errorf("got %s, want the median of the newest", d)
	}
	if n := len(x.took.recent[catalog.JobSlideshow]); n != recentWork {
		t.Errorf("%d durations are held, at most %d may be", n, recentWork)
	}
	if d := x.Usual(catalog.JobRender); d != 0 {
		t.Errorf("got %s for renders, want none", d)
	}
}

func TestUsual_CountsEachWorkOnce(t *testing.T) {
	x := New(clock.RealClock{})
	feed := x.Slideshows()
	for range 5 { // further events of the same work
		feed.OnAdd(done(1, 1, time.Minute), false)
	}
	feed.OnAdd(done(2, 2, 3*time.Second), false)
	feed.OnAdd(done(3, 3, 3*time.Second), false)
	if d := x.Usual(catalog.JobSlideshow); d != 3*time.Second {
		t.Errorf("%s", d)
	}
}

func TestUsual_IsOfWorkThatSucceeded(t *testing.T) {
	x := New(clock.RealClock{})
	failed := done(1, 1, time.Minute)
	failed.Status.Work.State = v1beta1.WorkFailed
	x.Slideshows().OnAdd(failed, false)
	part := &v1beta1.RenderJob{Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Kind: kindVideo, Name: "v"}}}
	part.Status.Work = done(2, 2, time.Minute).Status.Work
	x.RenderJobs().OnAdd(part, false)
	for _, kind := range []string{catalog.JobSlideshow, catalog.JobRender, catalog.JobVideo} {
		if d := x.Usual(kind); d != 0 {
			t.Errorf("%s for %s", d, kind)
		}
	}
}

func TestWatch_IsNotifiedOfTheShortAndItsRenders(t *testing.T) {
	x := New(clock.RealClock{})
	changed, stop := x.Watch("one", 7)
	notified := func() bool {
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	show := done(1, 1, time.Second)
	show.Labels = map[string]string{v1beta1.LabelID: "7"}
	x.Slideshows().OnAdd(show, false)
	if !notified() {
		t.Error("the watch of the short was not notified")
	}
	other := done(2, 2, time.Second)
	other.Labels = map[string]string{v1beta1.LabelID: "8"}
	x.Slideshows().OnAdd(other, false)
	if notified() {
		t.Error("the watch of another short was notified")
	}
	render := &v1beta1.RenderJob{}
	render.Namespace, render.Name, render.Labels = "one", "r", map[string]string{v1beta1.LabelShort: "7"}
	x.RenderJobs().OnAdd(render, false)
	x.RenderJobs().OnDelete(render)
	if !notified() || notified() {
		t.Error("two changes of a render are one notification")
	}
	stop()
	stop()
	x.RenderJobs().OnAdd(render, false)
	if notified() || len(x.watches.open) != 0 || x.watches.count.Load() != 0 {
		t.Errorf("after the end of the watch: %v", x.watches.open)
	}
}
