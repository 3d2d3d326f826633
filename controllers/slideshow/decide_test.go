// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/shortwork"
)

var start = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)

type change = func(*v1beta1.Slideshow)

// show returns a new slideshow with a context.
func show(changes ...change) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "u", Generation: 1, CreationTimestamp: metav1.NewTime(start)}}
	s.Spec = v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "tea", DesignStyle: "bold_center"}
	for _, c := range changes {
		c(s)
	}
	return s
}

func byHand(images ...*v1beta1.SlideImage) change {
	return func(s *v1beta1.Slideshow) {
		s.Spec.Slides = []v1beta1.SlideSpec{{Heading: "One"}, {Heading: "Two"}, {Heading: "Three"}}
		for i, img := range images {
			s.Spec.Slides[i].Image = img
		}
	}
}

func charges(n, refunds int32) change {
	return func(s *v1beta1.Slideshow) {
		s.Status.Charge = &v1beta1.Charge{PeriodStart: metav1.NewTime(start), Charges: n, Refunds: refunds}
	}
}

// working sets the status of a slideshow whose work has started and was charged.
func working(s *v1beta1.Slideshow) {
	at := metav1.NewTime(start)
	s.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, StartedAt: &at, Attempt: 1}
	s.Status.WorkedOn, s.Status.WorkedFor = s.Generation, deck.WorkHash(s)
	charges(1, 0)(s)
}

func written(s *v1beta1.Slideshow) {
	s.Status.Text = &v1beta1.Text{SourceHash: deck.SourceHash(s), Language: "en", Slides: []v1beta1.SlideText{{Role: "hook", Heading: "Tea"}}}
}

// done sets the status of a slideshow that is rendered as its spec requests.
func done(s *v1beta1.Slideshow) {
	working(s)
	if len(s.Spec.Slides) == 0 {
		written(s)
	}
	d := designFor(s, objects())
	at := metav1.NewTime(start)
	s.Status.Work.State, s.Status.Work.FinishedAt = v1beta1.WorkSucceeded, &at
	for _, sl := range deck.Slides(s) {
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{ID: sl.ID, Background: v1beta1.SlideBackground{Source: "stock", ID: "starter-night_sky-01"}})
	}
	s.Status.Design, s.Status.Revision, s.Status.VisualHash = &d, 1, deck.VisualHash(s, d)
}

// awaitingModel queues the work until the text model is ready.
func awaitingModel(s *v1beta1.Slideshow) {
	working(s)
	shortwork.AwaitModel(s.Status.Work)
}

// editing sets the status to work that renders an edit.
func editing(s *v1beta1.Slideshow) {
	s.Status.Generated = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}
	s.Status.Slides = []v1beta1.Slide{{ID: 1}, {ID: 2}, {ID: 3}}
}

// manifested writes the generated text and the chosen images into the spec.
func manifested(s *v1beta1.Slideshow) {
	t := s.Status.Text.Slides[0]
	s.Spec.Slides = []v1beta1.SlideSpec{{ID: 1, Role: t.Role, Heading: t.Heading, Body: t.Body, Image: deck.ImageOf(s.Status.Slides[0].Background)}}
}

func failedWith(code catalog.Code, retryable bool) change {
	return func(s *v1beta1.Slideshow) {
		working(s)
		s.Status.Work.State = v1beta1.WorkFailed
		s.Status.Work.Error = &v1beta1.WorkError{Code: string(code), Message: "No.", Retryable: retryable}
	}
}

// edit changes the spec of an existing slideshow.
func edit(c change) change {
	return func(s *v1beta1.Slideshow) { s.Generation++; c(s) }
}

type observedChange = func(*observed)

// objects returns an account without limits and a brand without settings.
func objects(changes ...observedChange) *observed {
	o := &observed{account: &v1beta1.Account{}, freshStyle: "soft_card"}
	o.Brand, o.Media = &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}, map[string]*v1beta1.MediaAsset{}
	for _, c := range changes {
		c(o)
	}
	return o
}

func exhausted(unsettled ...string) observedChange {
	return func(o *observed) {
		month, _ := quota.Month(start)
		o.account.Spec.Plan.SlideshowLimit = ptr.To[int32](1)
		o.account.Status.Usage = &v1beta1.Usage{PeriodStart: metav1.NewTime(month), SlideshowsUsed: 1, Unsettled: unsettled}
	}
}

func asset(name string, probe *v1beta1.MediaProbe, e *v1beta1.WorkError) observedChange {
	return func(o *observed) {
		o.Media[name] = &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1beta1.MediaAssetStatus{Probe: probe, Error: e}}
	}
}

func TestDecide(t *testing.T) {
	noBrand := func(o *observed) { o.Brand = nil }
	noAccount := func(o *observed) { o.account = nil }
	suspended := func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }
	auto := func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }
	retry := func(s *v1beta1.Slideshow) { s.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"} }
	title := func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("Tea") }
	style := func(s *v1beta1.Slideshow) { s.Spec.DesignStyle = "no_such_style" }
	render := func(o *observed) {
		o.renders = []v1beta1.RenderJob{{Spec: v1beta1.RenderJobSpec{Revision: ptr.To[int64](1)}}}
	}
	old := func(s *v1beta1.Slideshow) { s.CreationTimestamp = metav1.NewTime(start.Add(-48 * time.Hour)) }
	media := byHand(&v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: "cup"}})
	image := &v1beta1.MediaProbe{Kind: "image"}

	type want struct {
		kind   action
		reason v1beta1.Reason
		code   catalog.Code
		field  string
		again  time.Duration
	}
	for name, c := range map[string]struct {
		why  string
		s    *v1beta1.Slideshow
		o    *observed
		at   time.Duration
		want want
	}{
		"deleted":                        {"its blobs are deleted first, regardless of missing objects", show(done, func(s *v1beta1.Slideshow) { s.DeletionTimestamp = ptr.To(metav1.Now()) }), objects(noBrand), 0, want{kind: actionClean}},
		"new":                            {"all dependencies are ready", show(), objects(), 0, want{kind: actionStart}},
		"draft":                          {"a draft is not started", show(suspended), objects(), 0, want{kind: actionNothing}},
		"suspended in progress":          {"work in progress is finished", show(working, suspended), objects(), 0, want{kind: actionWrite}},
		"no account yet":                 {"it may be applied later", show(), objects(noAccount), 10 * time.Minute, want{kind: actionWait, reason: v1beta1.ReasonAccountNotFound, again: 20 * time.Minute}},
		"no brand yet":                   {"it may be applied later", show(), objects(noBrand), 0, want{kind: actionWait, reason: v1beta1.ReasonBrandNotFound, again: 30 * time.Minute}},
		"brand missing for long":         {"a new one waits for thirty minutes at most", show(), objects(noBrand), 30 * time.Minute, want{kind: actionFail, reason: v1beta1.ReasonBrandNotFound, code: catalog.ValidationFailed}},
		"model not ready":                {"it may become ready", show(awaitingModel), objects(), 29 * time.Minute, want{kind: actionWrite}},
		"model never ready":              {"a new slideshow waits for thirty minutes at most", show(awaitingModel), objects(), 30 * time.Minute, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.GenerationFailed}},
		"model not ready, edited":        {"the age of an existing slideshow does not count", show(old, awaitingModel, edit(func(*v1beta1.Slideshow) {})), objects(), 0, want{kind: actionWrite}},
		"an edit waits":                  {"an edit waits for an image that is applied later", show(old, byHand(), done, edit(media)), objects(), 0, want{kind: actionWait, reason: v1beta1.ReasonMediaNotFound}},
		"a released draft waits":         {"the time as a draft does not count", show(old, edit(func(*v1beta1.Slideshow) {})), objects(noBrand), 0, want{kind: actionWait, reason: v1beta1.ReasonBrandNotFound}},
		"image being fetched":            {"it is ready soon", show(media), objects(asset("cup", nil, nil)), 0, want{kind: actionWait, reason: v1beta1.ReasonMediaNotReady, again: 30 * time.Minute}},
		"failed image":                   {"a failed image does not become ready", show(media), objects(asset("cup", nil, &v1beta1.WorkError{Message: "Too large"})), 0, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.ValidationFailed, field: "slides[0].image.mediaRef"}},
		"not an image":                   {"a clip cannot be a background", show(media), objects(asset("cup", &v1beta1.MediaProbe{Kind: "video"}, nil)), 0, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.ValidationFailed, field: "slides[0].image.mediaRef"}},
		"ready image":                    {"nothing is missing", show(media), objects(asset("cup", image, nil)), 0, want{kind: actionStart}},
		"missing stock image":            {"names are checked before anything is charged", show(byHand(nil, &v1beta1.SlideImage{Stock: ptr.To("none")})), objects(), 0, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.ValidationFailed, field: "slides[1].image.stock"}},
		"missing style":                  {"names are checked before anything is charged", show(style), objects(), 0, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.ValidationFailed, field: "designStyle"}},
		"AI images":                      {"no image model is configured", show(func(s *v1beta1.Slideshow) { s.Spec.ImageSource = &v1beta1.ImageSource{Type: "ai"} }), objects(), 0, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.ValidationFailed, field: "imageSource.type"}},
		"plan used up":                   {"the plan is exhausted", show(), objects(exhausted()), 0, want{kind: actionFail, reason: v1beta1.ReasonQuotaExceeded, code: catalog.QuotaExceeded}},
		"plan used up by this slideshow": {"the last short of the plan was charged to this slideshow before it could record it", show(), objects(exhausted("tea/u/charge-1")), 0, want{kind: actionStart}},
		"plan used up, charged already":  {"a slideshow is charged once", show(byHand(), done, edit(func(s *v1beta1.Slideshow) { s.Spec.Slides[0].Heading = "New" })), objects(exhausted()), 0, want{kind: actionStart}},
		"plan used up, refunded":         {"after a refund it is charged again", show(failedWith(catalog.GenerationFailed, true), charges(1, 1), retry), objects(exhausted()), 0, want{kind: actionFail, reason: v1beta1.ReasonQuotaExceeded, code: catalog.QuotaExceeded}},
		"started":                        {"the text is generated first", show(working), objects(), 0, want{kind: actionWrite}},
		"started, written by hand":       {"no text is generated", show(byHand(), working), objects(), 0, want{kind: actionDraw}},
		"written":                        {"images are rendered next", show(working, written), objects(), 0, want{kind: actionDraw}},
		"written from another text":      {"the context was edited since", show(written, working, edit(func(s *v1beta1.Slideshow) { s.Spec.Context = "coffee" })), objects(), 0, want{kind: actionWrite}},
		"deadline exceeded":              {"the deadline is ten minutes", show(working), objects(), 10 * time.Minute, want{kind: actionFail, reason: v1beta1.ReasonFailed, code: catalog.GenerationFailed}},
		"brand deleted in progress":      {"it may come back, but the deadline stays", show(working), objects(noBrand), 4 * time.Minute, want{kind: actionWait, reason: v1beta1.ReasonBrandNotFound, again: 6 * time.Minute}},
		"done":                           {"ended work stays as it is", show(done), objects(), 0, want{kind: actionNothing}},
		"done, video requested":          {"the render follows", show(auto, done), objects(), 0, want{kind: actionRender}},
		"done, video in progress":        {"there is one render for each revision", show(auto, done), objects(render), 0, want{kind: actionNothing}},
		"done, another title":            {"the images do not show the title", show(byHand(), done, edit(title)), objects(), 0, want{kind: actionNothing}},
		"done, another text":             {"the content of the slides has changed", show(byHand(), done, edit(func(s *v1beta1.Slideshow) { s.Spec.Slides[0].Heading = "New" })), objects(), 0, want{kind: actionStart}},
		"done, another context":          {"the text depends on the context", show(done, edit(func(s *v1beta1.Slideshow) { s.Spec.Context = "coffee" })), objects(), 0, want{kind: actionStart}},
		"done, another brand style":      {"chosen values stay", show(func(s *v1beta1.Slideshow) { s.Spec.DesignStyle = "" }, done), objects(func(o *observed) { o.Brand.Spec.SlideshowDefaults.DesignStyle = "top_banner" }), 0, want{kind: actionNothing}},
		"done, retry":                    {"only failed work is retried", show(done, retry), objects(), 0, want{kind: actionNothing}},
		"failed by its input":            {"it stays failed, and charged", show(failedWith(catalog.ValidationFailed, false)), objects(), 0, want{kind: actionNothing}},
		"failed internally":              {"internal failures are refunded", show(failedWith(catalog.GenerationFailed, true)), objects(), 0, want{kind: actionRefund}},
		"failed internally, suspended":   {"the refund does not wait for the release", show(failedWith(catalog.GenerationFailed, true), suspended), objects(), 0, want{kind: actionRefund}},
		"failed internally, refunded":    {"once", show(failedWith(catalog.GenerationFailed, true), charges(1, 1)), objects(), 0, want{kind: actionNothing}},
		"failed internally, no account":  {"there is no account to refund", show(failedWith(catalog.GenerationFailed, true)), objects(noAccount), 0, want{kind: actionNothing}},
		"failed, retry":                  {"a user requests a retry", show(failedWith(catalog.GenerationFailed, true), charges(1, 1), retry), objects(), 0, want{kind: actionStart}},
		"failed, same retry":             {"the retry was done already", show(failedWith(catalog.GenerationFailed, true), charges(1, 1), retry, func(s *v1beta1.Slideshow) { s.Status.RetriedFor = "1" }), objects(), 0, want{kind: actionNothing}},
		"failed, edited":                 {"the cause may be fixed", show(failedWith(catalog.ValidationFailed, false), edit(func(s *v1beta1.Slideshow) { s.Spec.DesignStyle = "soft_card" })), objects(), 0, want{kind: actionStart}},
		"failed, another title":          {"the title was not the cause", show(failedWith(catalog.ValidationFailed, false), edit(title)), objects(), 0, want{kind: actionNothing}},
		"failed, another alt text":       {"the alternative text was not the cause", show(byHand(), failedWith(catalog.ValidationFailed, false), edit(func(s *v1beta1.Slideshow) { s.Spec.Slides[0].AltText = "x" })), objects(), 0, want{kind: actionNothing}},
		"failed, released again":         {"suspending does not fix it", show(failedWith(catalog.ValidationFailed, false), edit(suspended), edit(func(s *v1beta1.Slideshow) { s.Spec.Suspend = false })), objects(), 0, want{kind: actionNothing}},
		"edit failed internally":         {"the charged slides exist", show(byHand(), failedWith(catalog.GenerationFailed, true), editing), objects(), 0, want{kind: actionNothing}},
		"edit failed, undone":            {"the rendered slides match again", show(byHand(), failedWith(catalog.ValidationFailed, false), editing, edit(func(s *v1beta1.Slideshow) { s.Spec.Slides[0].Heading = "New" })), objects(), 0, want{kind: actionStart}},
		"done, written into the spec":    {"the spec now has the generated values", show(done, edit(manifested)), objects(), 0, want{kind: actionNothing}},
		"done, another order": {"slides keep their ids and change positions", show(byHand(), done, edit(func(s *v1beta1.Slideshow) {
			for i := range s.Spec.Slides {
				s.Spec.Slides[i].ID = int64(3 - i)
			}
		})), objects(), 0, want{kind: actionStart}},
	} {
		t.Run(name, func(t *testing.T) {
			d := decide(c.s, c.o, start.Add(c.at))
			got := want{kind: d.kind, reason: d.reason, again: d.requeue}
			if d.err != nil {
				got.code, got.field = catalog.Code(d.err.Code), d.err.Details["field"]
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			if d.kind == actionWait && d.message == "" {
				t.Error("got a wait without a reason")
			}
		})
	}
}

// TestReport_IsStable checks that two passes with the same inputs report identical bytes.
func TestReport_IsStable(t *testing.T) {
	noBrand := objects(func(o *observed) { o.Brand = nil })
	draft := func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }
	for name, c := range map[string]struct {
		s      *v1beta1.Slideshow
		o      *observed
		ready  v1beta1.Reason
		stalls bool
	}{
		"draft":   {show(draft), objects(), v1beta1.ReasonSuspended, false},
		"waiting": {show(), noBrand, v1beta1.ReasonBrandNotFound, false},
		"edited and waiting": {
			show(byHand(), done, edit(byHand(&v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: "cup"}}))), objects(), v1beta1.ReasonMediaNotFound, false,
		},
		"succeeded": {show(done), objects(), v1beta1.ReasonReady, false},
		"failed":    {show(failedWith(catalog.ValidationFailed, false)), objects(), v1beta1.ReasonFailed, true},
		"exhausted": {show(failedWith(catalog.QuotaExceeded, false)), objects(), v1beta1.ReasonQuotaExceeded, true},
	} {
		t.Run(name, func(t *testing.T) {
			pass := func(now time.Time) { report(c.s, c.o, decide(c.s, c.o, now), result{}, now) }
			pass(start)
			for i := range c.s.Status.Conditions {
				c.s.Status.Conditions[i].LastTransitionTime = metav1.NewTime(start.Add(-time.Hour))
			}
			before := c.s.DeepCopy()
			pass(start.Add(time.Minute))
			if diff := cmp.Diff(before.Status, c.s.Status); diff != "" {
				t.Errorf("the second pass changes the status:\n%s", diff)
			}
			var ready v1beta1.Reason
			stalled := false
			for _, k := range c.s.Status.Conditions {
				switch v1beta1.ConditionType(k.Type) {
				case v1beta1.ConditionReady:
					ready = v1beta1.Reason(k.Reason)
				case v1beta1.ConditionStalled:
					stalled = true
				}
			}
			if ready != c.ready || stalled != c.stalls {
				t.Errorf("got Ready %q, stalled %v", ready, stalled)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	at := start.Add(time.Minute)
	flaky := &v1beta1.WorkError{Code: "generation_failed", Message: "away", Retryable: true}
	t.Run("a temporary error costs only an attempt", func(t *testing.T) {
		s := show(working)
		record(s, decision{kind: actionWrite}, result{failed: flaky}, at)
		if w := s.Status.Work; w.State != v1beta1.WorkProcessing || w.Attempt != 2 || w.Error != nil {
			t.Errorf("got %+v", w)
		}
		if again := (result{failed: flaky}).requeue(decision{kind: actionWrite}, s); again != 4*time.Second {
			t.Errorf("got a wait of %s after the first attempt", again)
		}
	})
	t.Run("work ends after the third attempt", func(t *testing.T) {
		s := show(working)
		s.Status.Work.Attempt = catalog.MaxAttempts
		record(s, decision{kind: actionWrite}, result{failed: flaky}, at)
		if w := s.Status.Work; w.State != v1beta1.WorkFailed || w.Error != flaky || w.FinishedAt == nil {
			t.Errorf("got %+v", w)
		}
		if again := (result{failed: flaky}).requeue(decision{kind: actionWrite}, s); again != soon {
			t.Errorf("got a wait of %s before the refund, want none", again)
		}
	})
	t.Run("an invalid input ends the work at once", func(t *testing.T) {
		s := show(working)
		record(s, decision{kind: actionDraw}, result{failed: &v1beta1.WorkError{Code: "validation_failed"}}, at)
		if w := s.Status.Work; w.State != v1beta1.WorkFailed || w.Attempt != 1 {
			t.Errorf("got %+v", w)
		}
	})
	t.Run("repeated failures start new work", func(t *testing.T) {
		s := show(failedWith(catalog.ValidationFailed, false), edit(func(*v1beta1.Slideshow) {}))
		first := s.Status.Work
		record(s, decision{kind: actionFail}, result{failed: flaky}, at)
		if s.Status.Work == first || !s.Status.Work.StartedAt.Time.Equal(at) || s.Status.WorkedOn != s.Generation {
			t.Errorf("got %+v, worked on %d", s.Status.Work, s.Status.WorkedOn)
		}
	})
	t.Run("unchanged images are kept", func(t *testing.T) {
		s := show(done)
		s.Status.Work.State = v1beta1.WorkProcessing
		record(s, decision{kind: actionDraw}, result{drawn: &slides.Drawn{Kept: true, Design: *s.Status.Design}}, at)
		if s.Status.Revision != 1 || len(s.Status.Slides) != 1 || s.Status.Work.State != v1beta1.WorkSucceeded {
			t.Errorf("got revision %d, %d slides, %s", s.Status.Revision, len(s.Status.Slides), s.Status.Work.State)
		}
	})
}

func TestDesign_Precedence(t *testing.T) {
	defaults := func(o *observed) {
		o.Brand.Spec.SlideshowDefaults = v1beta1.SlideshowDefaults{AspectRatio: "4:5", DesignStyle: "of_the_brand", ImageWorld: "dunes"}
	}
	open := show(func(s *v1beta1.Slideshow) { s.Spec.DesignStyle = "" })
	chosen := open.DeepCopy()
	chosen.Status.Design = &v1beta1.Design{AspectRatio: "9:16", Style: "chosen", ImageWorld: "waves"}
	stock := v1beta1.ImageSource{Type: v1beta1.ImageSourceStock}
	unset := chosen.DeepCopy()
	unset.Status.Design.ImageSource = stock
	for _, c := range []struct {
		why  string
		s    *v1beta1.Slideshow
		o    *observed
		want v1beta1.Design
	}{
		{"the default applies without a setting", open, objects(), v1beta1.Design{AspectRatio: "9:16", Style: "soft_card", ImageSource: stock}},
		{"the brand overrides the default", open, objects(defaults), v1beta1.Design{AspectRatio: "4:5", Style: "of_the_brand", ImageWorld: "dunes", ImageSource: stock}},
		{"a chosen value overrides the brand", unset, objects(defaults), v1beta1.Design{AspectRatio: "9:16", Style: "chosen", ImageWorld: "waves", ImageSource: stock}},
		{
			"the spec overrides everything", show(func(s *v1beta1.Slideshow) { s.Status.Design = unset.Status.Design.DeepCopy() }), objects(defaults),
			v1beta1.Design{AspectRatio: "9:16", Style: "bold_center", ImageWorld: "waves", ImageSource: stock},
		},
		{"a source without a type is stock", chosen, objects(), v1beta1.Design{AspectRatio: "9:16", Style: "chosen", ImageWorld: "waves", ImageSource: stock}},
	} {
		if diff := cmp.Diff(c.want, designFor(c.s, c.o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
}
