// SPDX-License-Identifier: Apache-2.0

package automation_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/testkit"
)

// items returns the ids of the items of the runs that have one, in the order of their slots.
func (w *world) items() (out []string) {
	w.t.Helper()
	for _, run := range w.runs() {
		if run.Status.Item != nil {
			out = append(out, run.Status.Item.ID)
		}
	}
	return out
}

func (w *world) used(want ...string) {
	w.t.Helper()
	if d := cmp.Diff(want, w.items()); d != "" {
		w.t.Errorf("items (-want +got):\n%s", d)
	}
}

func fromFeed(a *v1beta1.Automation) {
	a.Spec.Source = v1beta1.AutomationSource{Feed: &v1beta1.FeedSource{
		URL:     "https://example.com/feed.xml",
		Exclude: []string{"advert"},
	}}
	a.Spec.Template.Slideshow.Context = "{{item.title}}: {{item.summary}}"
}

func TestFeed_EachItemIsUsedOnce(t *testing.T) {
	w := newWorld(t, fromFeed)
	w.feeds.items = []feed.Item{
		{ID: "a", Title: "Tea", Summary: "About tea", Published: w.slot.Add(-2 * time.Hour)},
		{ID: "b", Title: "Coffee", Published: w.slot.Add(-time.Hour)},
		{ID: "c", Title: "An advert", Published: w.slot.Add(-time.Minute)},
	}
	for hour := range 3 {
		w.at(float64(hour))
	}
	w.used("b", "a")
	w.expect("+0 Succeeded, +1 Succeeded, +2 Skipped")
	if got := w.shows()[1].Spec.Context; got != "Tea: About tea" {
		t.Errorf("got the context %q", got)
	}
	if w.condition(v1beta1.ConditionSourceReachable, true) != "SourceRead" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
}

func TestFeed_ThatCannotBeReadIsTriedUntilTheDeadline(t *testing.T) {
	w := newWorld(t, fromFeed)
	_, w.feeds.err = feed.NewReader(fetch.Open(fetch.Config{Timeout: time.Second})).Read(t.Context(),
		"https://127.0.0.1/feed", feed.State{})
	w.at(-0.5)
	w.expect("+0 Pending")
	if w.condition(v1beta1.ConditionSourceReachable, false) != "SourceUnavailable" ||
		w.condition(v1beta1.ConditionReady, false) != "SourceUnavailable" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
	reads := w.feeds.reads
	w.at(-0.25)
	if w.feeds.reads == reads {
		t.Error("the feed is not read again")
	}
	w.at(1.01) // after the deadline
	if got := w.runs()[0].Status; got.State != v1beta1.RunFailed || got.Error == nil {
		t.Errorf("got %+v", got)
	}
	if w.condition(v1beta1.ConditionFailing, true) == "" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
	w.feeds.err, w.feeds.items = nil, []feed.Item{{ID: "a", Title: "Tea"}}
	w.at(1.27) // the last read was at 1.01, and the delay is 15 minutes
	w.used("a")
}

// draft creates a slideshow of the brand with a label.
func (w *world) draft(name string, change ...func(*v1beta1.Slideshow)) {
	w.t.Helper()
	s := testkit.HandWritten(w.ns, name, "acme", "One")
	s.Labels = map[string]string{"series": "tips", v1beta1.LabelID: strconv.FormatInt(ids.Add(1), 10)}
	for _, c := range change {
		c(s)
	}
	w.create(s)
}

func TestQueue_FirstInFirstOut(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) {
		a.Spec.Template = nil
		selector := metav1.LabelSelector{MatchLabels: map[string]string{"series": "tips"}}
		a.Spec.Source = v1beta1.AutomationSource{Queue: &v1beta1.QueueSource{Selector: selector}}
	})
	w.draft("b-first")
	w.draft("other", func(s *v1beta1.Slideshow) { s.Labels["series"] = "news" })
	w.draft("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
	time.Sleep(1100 * time.Millisecond) // creation times have a resolution of a second
	w.draft("a-second")
	for hour := range 3 {
		w.at(float64(hour))
	}
	w.used("Slideshow/b-first", "Slideshow/a-second")
	w.expect("+0 Succeeded, +1 Succeeded, +2 Skipped")
	for _, s := range w.shows() {
		if taken := s.Labels[v1beta1.LabelAutomationRun] != ""; taken != (s.Name == "b-first" || s.Name == "a-second") {
			t.Errorf("%s has the labels %v", s.Name, s.Labels)
		}
		if len(s.OwnerReferences) > 0 {
			t.Errorf("the run owns %s, which it did not create", s.Name)
		}
	}
}

func TestEvergreen_RepeatsAfterTheCooldown(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) {
		a.Spec.Template = nil
		a.Spec.Source = v1beta1.AutomationSource{Evergreen: &v1beta1.EvergreenSource{
			CooldownHours: 2,
			MaxRepeats:    ptr.To[int32](1), Order: "Views",
		}}
	})
	for i, name := range []string{"few", "many", "never", "recent"} {
		w.draft(name)
		if name == "never" {
			continue
		}
		s := &v1beta1.Slideshow{}
		w.must(cluster.Client.Get(t.Context(), w.key(name), s))
		id, _ := strconv.ParseInt(s.Labels[v1beta1.LabelID], 10, 64)
		at := w.slot.Add(-24 * time.Hour)
		if name == "recent" {
			at = w.slot.Add(-time.Hour)
		}
		p := &v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: fmt.Sprintf("post-%d", i)},
			Spec: v1beta1.PostSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "batch-" + name, Account: "tiktok-1", Platform: "tiktok",
				ShortID:     id,
				ScheduledAt: metav1.NewMicroTime(at), PostingMode: "direct", Media: v1beta1.PostMedia{Kind: "video"},
			},
		}
		w.create(p)
		p.Status = v1beta1.PostStatus{
			State: v1beta1.PostSuccess, PublishedAt: ptr.To(metav1.NewTime(at)),
			Metrics: &v1beta1.PostMetrics{Views: ptr.To(int64(10 * i)), ObservedAt: metav1.NewTime(at)},
		}
		w.must(cluster.Client.Status().Update(t.Context(), p))
	}
	w.at(0)
	w.at(1)
	w.at(1.5) // recent was published two hours before the slot of hour 1
	got := w.items()
	if len(got) < 2 || got[0] != "Slideshow/many" {
		t.Fatalf("got %v", got)
	}
	if got[1] != "Slideshow/recent" {
		t.Errorf("got %v, want the published short with the most views beyond its cooldown second", got)
	}
}
