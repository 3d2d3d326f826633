// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(minutes int) *metav1.Time {
	t := metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute))
	return &t
}

func work(state v1beta1.WorkState, started, finished *metav1.Time) *v1beta1.Work {
	w := &v1beta1.Work{State: state, Attempt: 1, StartedAt: started, FinishedAt: finished}
	if state == v1beta1.WorkFailed {
		w.Error = &v1beta1.WorkError{Code: "generation_failed", Message: "No."}
	}
	return w
}

func render(revision int64, created *metav1.Time, w *v1beta1.Work) v1beta1.RenderJob {
	j := v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *created}, Spec: v1beta1.RenderJobSpec{Revision: &revision}}
	j.Status.Work = w
	if w != nil && w.State == v1beta1.WorkSucceeded {
		j.Status.Output = &v1beta1.RenderOutput{BlobKey: "film.mp4", DurationMilliseconds: 1500}
	}
	return j
}

func short(generation *v1beta1.Work, revision int64, renders ...v1beta1.RenderJob) *view.Short {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(0)}}
	s.Status.Work, s.Status.Revision, s.Status.PreviewKey = generation, revision, "preview.jpg"
	return &view.Short{
		ID: 7, Show: s, Renders: renders, Brand: &v1beta1.Brand{}, BrandID: 3,
		Sign: func(key string, valid time.Duration) (string, error) {
			return "http://x/" + key + "?valid=" + valid.String(), nil
		},
	}
}

func TestJobShowsTheNewestWork(t *testing.T) {
	generated := work(v1beta1.WorkSucceeded, at(1), at(2))
	running := work(v1beta1.WorkProcessing, at(11), nil)
	for _, c := range []struct {
		why          string
		short        *view.Short
		kind, status string
		video        bool
	}{
		{"not reconciled yet", short(nil, 0), "slideshow_generation", "queued", false},
		{"the slides are being created", short(work(v1beta1.WorkProcessing, at(1), nil), 0), "slideshow_generation", "processing", false},
		{"the slides exist", short(generated, 1), "slideshow_generation", "succeeded", false},
		{"a requested render, not reconciled yet", short(generated, 1, render(1, at(3), nil)), "render", "queued", false},
		{"a render of these slides, with a time of a slow clock", short(work(v1beta1.WorkSucceeded, at(3), at(4)), 1, render(1, at(2), nil)), "render", "queued", false},
		{"a render in progress", short(generated, 1, render(1, at(3), running)), "render", "processing", false},
		{"a successful render", short(generated, 1, render(1, at(3), work(v1beta1.WorkSucceeded, at(3), at(4)))), "render", "succeeded", true},
		{"the newer of two renders counts", short(generated, 1, render(1, at(5), nil), render(1, at(3), work(v1beta1.WorkFailed, at(3), at(4)))), "render", "queued", false},
		{"slides created again after the render, in progress", short(running, 1, render(1, at(3), work(v1beta1.WorkSucceeded, at(3), at(4)))), "slideshow_generation", "processing", false},
		{
			"slides created again after the render: the video is stale",
			short(work(v1beta1.WorkSucceeded, at(11), at(12)), 2, render(1, at(3), work(v1beta1.WorkSucceeded, at(3), at(4)))), "slideshow_generation", "succeeded", false,
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			j, err := c.short.Job(noon)
			if err != nil {
				t.Fatal(err)
			}
			if string(j.Kind) != c.kind || string(j.Status) != c.status {
				t.Errorf("%s %s, want %s %s", j.Kind, j.Status, c.kind, c.status)
			}
			if (j.Result != nil) != (c.status == "succeeded") || (j.EstimatedCompletionAt != nil) != (c.status == "queued" || c.status == "processing") {
				t.Errorf("conditional members: %+v", j)
			}
			if got := j.Result != nil && j.Result.VideoURL != nil; got != c.video {
				t.Errorf("got video_url set: %v", got)
			}
			if (j.Progress == 100) != (c.status == "succeeded") {
				t.Errorf("got progress %d", j.Progress)
			}
			if want := map[string]int{"slideshow_generation": 15, "render": 30}[c.kind]; j.PollAfterSeconds != want {
				t.Errorf("got poll_after_seconds %d", j.PollAfterSeconds)
			}
		})
	}
}

func TestJob_AwaitsAnAutomaticRender(t *testing.T) {
	s := short(work(v1beta1.WorkSucceeded, at(1), at(2)), 2, render(1, at(3), work(v1beta1.WorkSucceeded, at(3), at(4))))
	s.Show.Spec.AutoRender = true
	if j, _ := s.Job(noon); j.Kind != "render" || j.Status != "queued" {
		t.Errorf("%s %s: a client would stop polling before the video of the new slides", j.Kind, j.Status)
	}
	s.Show.Spec.Suspend = true
	if j, _ := s.Job(noon); j.Status != "succeeded" {
		t.Errorf("%s %s: a suspended slideshow starts no automatic render", j.Kind, j.Status)
	}
}

func TestJob_EstimateIsNeverInThePast(t *testing.T) {
	s := short(work(v1beta1.WorkProcessing, at(1), nil), 0)
	s.Show.Status.Work.EstimatedCompletionAt = at(2)
	if j, _ := s.Job(noon.Add(time.Hour)); !j.EstimatedCompletionAt.After(noon.Add(time.Hour)) {
		t.Errorf("got estimate %s", j.EstimatedCompletionAt)
	}
	if j, _ := s.Job(noon); !j.EstimatedCompletionAt.Equal(at(2).Time) {
		t.Errorf("got estimate %s, want the controller's", j.EstimatedCompletionAt)
	}
}

func TestProgressOfAnEarlierAttemptDoesNotCount(t *testing.T) {
	r := render(1, at(3), work(v1beta1.WorkProcessing, at(3), nil))
	r.Status.Progress = &v1beta1.RenderProgress{Attempt: 1, Percent: 100}
	s := short(work(v1beta1.WorkSucceeded, at(1), at(2)), 1, r)
	if j, _ := s.Job(noon); j.Progress != 99 {
		t.Errorf("got progress %d, want 99: 100 means succeeded", j.Progress)
	}
	s.Renders[0].Status.Work.Attempt = 2
	if j, _ := s.Job(noon); j.Progress != 0 {
		t.Errorf("got progress %d of an attempt that has ended", j.Progress)
	}
}

func TestRenderStatus(t *testing.T) {
	generated := work(v1beta1.WorkSucceeded, at(1), at(2))
	done, failed := work(v1beta1.WorkSucceeded, at(3), at(4)), work(v1beta1.WorkFailed, at(3), at(4))
	for want, s := range map[string]*view.Short{
		"none":       short(generated, 1),
		"queued":     short(generated, 1, render(1, at(3), nil)),
		"processing": short(generated, 2, render(1, at(3), work(v1beta1.WorkProcessing, at(3), nil))),
		"succeeded":  short(generated, 1, render(1, at(3), done)),
		"failed":     short(generated, 1, render(1, at(3), failed)),
		"stale":      short(generated, 2, render(1, at(5), failed), render(1, at(3), done)),
	} {
		sum, err := s.Summary()
		if err != nil {
			t.Fatal(err)
		}
		if sum.RenderStatus != want {
			t.Errorf("%s, want %s", sum.RenderStatus, want)
		}
	}
}

func TestImageURLs_AreSignedForSevenDays(t *testing.T) {
	j, err := short(work(v1beta1.WorkSucceeded, at(1), at(2)), 1).Job(noon)
	if err != nil || !strings.HasSuffix(j.Result.PreviewURL, "?valid=168h0m0s") {
		t.Errorf("%v, %v", j.Result.PreviewURL, err)
	}
}

func TestTimesAreUTCWithWholeSeconds(t *testing.T) {
	in := view.Time{Time: time.Date(2026, 11, 21, 13, 0, 0, 999, time.FixedZone("", 3600))}
	if out, _ := json.Marshal(in); string(out) != `"2026-11-21T12:00:00Z"` {
		t.Errorf("%s", out)
	}
}

func TestEmailsAreMasked(t *testing.T) {
	for in, want := range map[string]string{"anna@example.com": "a***@example.com", "é@x.org": "é***@x.org", "broken": "***", "@x": "***"} {
		a := &v1beta1.Account{Spec: v1beta1.AccountSpec{Email: in, Plan: v1beta1.Plan{SlideshowLimit: ptr.To[int32](1)}}}
		if got := view.AccountOf(1, a, nil, 0, view.Key{}, noon).User.Email; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestJob_PollsAndEstimatesByMeasuredDurations(t *testing.T) {
	second := func(n int) *metav1.Time {
		t := metav1.NewTime(noon.Add(time.Duration(n) * time.Second))
		return &t
	}
	slides := func(since int) *view.Short {
		return short(work(v1beta1.WorkProcessing, second(since), nil), 0)
	}
	film := short(work(v1beta1.WorkSucceeded, second(-60), second(-58)), 1, render(1, second(-8), work(v1beta1.WorkProcessing, second(-8), nil)))
	for _, c := range []struct {
		why            string
		short          *view.Short
		usual          time.Duration
		poll, progress int
		end            int // seconds from now
	}{
		{"queued", short(nil, 0), 4 * time.Second, 4, 0, 4},
		{"just started", slides(0), 4 * time.Second, 4, 10, 4},
		{"half done", slides(-2), 4 * time.Second, 2, 50, 2},
		{"slower than usual", slides(-60), 4 * time.Second, 1, 95, 1},
		{"slower than usual, with a long usual time", slides(-300), 40 * time.Second, 10, 95, 10},
		{"at most 15 seconds", slides(0), time.Minute, 15, 10, 60},
		{"at most 30 seconds for a render", film, time.Minute, 30, 13, 52},
		{"a render", film, 10 * time.Second, 3, 80, 3},
		{"a start in the future, by another clock", slides(3), 4 * time.Second, 7, 10, 7},
		{"nothing is known", slides(-2), 0, 15, 10, 20},
		{"succeeded", short(work(v1beta1.WorkSucceeded, second(-3), second(-1)), 1), 2 * time.Second, 2, 100, 0},
	} {
		c.short.Usual = func(string) time.Duration { return c.usual }
		j, err := c.short.Job(noon)
		if err != nil {
			t.Fatal(err)
		}
		if j.PollAfterSeconds != c.poll || j.Progress != c.progress {
			t.Errorf("%s: poll after %d s at %d percent", c.why, j.PollAfterSeconds, j.Progress)
		}
		if c.end == 0 {
			continue
		}
		if end := j.EstimatedCompletionAt.Sub(noon); end != time.Duration(c.end)*time.Second {
			t.Errorf("%s: ends in %s", c.why, end)
		}
	}
}
