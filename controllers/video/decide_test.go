// SPDX-License-Identifier: Apache-2.0

package video

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/testkit"
)

var start = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)

const library = "reelops-system"

type change func(*v1beta1.Video)

// fresh returns a Video that no controller has processed, with an avatar of the account and a demo of the brand.
func fresh(changes ...change) *v1beta1.Video {
	v := &v1beta1.Video{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "u", Generation: 1, CreationTimestamp: metav1.NewTime(start)}}
	v.Spec.BrandRef.Name, v.Spec.AspectRatio, v.Spec.LoopCount = "acme", "9:16", 1
	v.Spec.Avatar.MediaRef = &v1beta1.LocalRef{Name: "anna"}
	v.Spec.Demos = []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "demo"}}}}
	for _, c := range changes {
		c(v)
	}
	return v
}

// working sets the status of a Video whose work has started and was charged.
func working(v *v1beta1.Video) {
	v.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, StartedAt: ptr.To(metav1.NewTime(start)), Attempt: 1}
	v.Status.Charge = &v1beta1.Charge{Charges: 1}
}

func hasText(v *v1beta1.Video) {
	v.Status.Text = &v1beta1.VideoText{Language: "en", Hook: "All about tea"}
}

func hasSpeech(v *v1beta1.Video) {
	v.Status.Speech = &v1beta1.Speech{Source: speechPackage, DurationMilliseconds: 2000}
}

func hasParts(v *v1beta1.Video) {
	hasText(v)
	hasSpeech(v)
	v.Status.Revision, v.Status.Clips = 1, []v1beta1.VideoClip{{Role: "avatar", Asset: "anna", BlobKey: "k", DurationMilliseconds: 2500}}
}

func settled(state v1beta1.WorkState, retryable bool) change {
	return func(v *v1beta1.Video) {
		v.Status.Work.State, v.Status.Work.FinishedAt = state, ptr.To(metav1.NewTime(start))
		if state == v1beta1.WorkFailed {
			v.Status.Work.Error = &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: "No", Retryable: retryable}
		}
	}
}

func byURL(v *v1beta1.Video) {
	v.Spec.Demos = []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{URL: ptr.To("https://example.com/a.mp4")}}}
}

// look returns the observed state of a Video whose objects all exist and are ready.
func look(v *v1beta1.Video, changes ...func(*observed)) *observed {
	o := &observed{account: testkit.Account("tenant"), brand: testkit.Brand("tenant", "acme"), clips: sources(v, library)}
	for i := range o.clips {
		o.clips[i].asset = clip(o.clips[i].key.Name, 4000, "")
		if o.clips[i].library {
			o.clips[i].asset.Namespace = library
		}
	}
	for _, c := range changes {
		c(o)
	}
	return o
}

func asset(i int, change func(*v1beta1.MediaAsset)) func(*observed) {
	return func(o *observed) { change(o.clips[i].asset) }
}

func without(i int) func(*observed) { return func(o *observed) { o.clips[i].asset = nil } }

func rendering(state v1beta1.WorkState) func(*observed) {
	return func(o *observed) {
		o.render = &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Name: "tea-film", CreationTimestamp: metav1.NewTime(start.Add(time.Minute))}}
		if state == "" {
			return
		}
		o.render.Status.Work = &v1beta1.Work{State: state, Attempt: 1}
		if state != v1beta1.WorkQueued {
			o.render.Status.Work.StartedAt = ptr.To(metav1.NewTime(start.Add(10 * time.Minute)))
		}
		switch state {
		case v1beta1.WorkSucceeded:
			o.render.Status.Output = &v1beta1.RenderOutput{BlobKey: "renders/f.mp4", Bytes: 9, DurationMilliseconds: 2500}
		case v1beta1.WorkFailed:
			o.render.Status.Work.Error = &v1beta1.WorkError{Code: string(catalog.ValidationFailed), Message: "No music", Details: map[string]string{"field": "background_music_id"}}
		}
	}
}

func refusedAsset(retryable bool) func(*v1beta1.MediaAsset) {
	return func(m *v1beta1.MediaAsset) {
		m.Status = v1beta1.MediaAssetStatus{
			Work:  &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1},
			Error: &v1beta1.WorkError{Code: string(catalog.MediaTooLarge), Message: "Too large", Retryable: retryable, Details: map[string]string{"reason": "too_large"}},
		}
	}
}

func unready(m *v1beta1.MediaAsset) { m.Status = v1beta1.MediaAssetStatus{} }

// awaitingModel queues the work until the text model is ready.
func awaitingModel(v *v1beta1.Video) { shortwork.AwaitModel(v.Status.Work) }

func TestDecide(t *testing.T) {
	minute := time.Minute
	type want struct {
		kind   action
		code   catalog.Code
		field  string
		reason v1beta1.Reason
		again  time.Duration
	}
	for why, c := range map[string]struct {
		video *v1beta1.Video
		seen  []func(*observed)
		at    time.Duration
		want  want
	}{
		"everything exists":           {fresh(), nil, 0, want{kind: actionStart}},
		"a draft waits":               {fresh(func(v *v1beta1.Video) { v.Spec.Suspend = true }), nil, 0, want{}},
		"suspended in progress":       {fresh(working, func(v *v1beta1.Video) { v.Spec.Suspend = true }), nil, 0, want{kind: actionWrite}},
		"deleted":                     {fresh(working, func(v *v1beta1.Video) { v.DeletionTimestamp = ptr.To(metav1.NewTime(start)) }), nil, 0, want{kind: actionClean}},
		"no account":                  {fresh(), []func(*observed){func(o *observed) { o.account = nil }}, 0, want{kind: actionWait, reason: v1beta1.ReasonAccountNotFound, again: 30 * minute}},
		"no brand":                    {fresh(), []func(*observed){func(o *observed) { o.brand = nil }}, minute, want{kind: actionWait, reason: v1beta1.ReasonBrandNotFound, again: 29 * minute}},
		"no avatar":                   {fresh(), []func(*observed){without(0)}, 0, want{kind: actionWait, reason: v1beta1.ReasonMediaNotFound, again: 30 * minute}},
		"missing avatar for long":     {fresh(), []func(*observed){without(0)}, 30 * minute, want{kind: actionFail, code: catalog.ValidationFailed, reason: v1beta1.ReasonMediaNotFound}},
		"a demo that is being probed": {fresh(), []func(*observed){asset(1, unready)}, 0, want{kind: actionWait, reason: v1beta1.ReasonMediaNotReady, again: 30 * minute}},
		"model not ready":             {fresh(working, awaitingModel), nil, 29 * minute, want{kind: actionWrite}},
		"model never ready":           {fresh(working, awaitingModel), nil, 30 * minute, want{kind: actionFail, code: catalog.GenerationFailed, reason: v1beta1.ReasonFailed}},
		"model not ready, edited":     {fresh(working, awaitingModel, func(v *v1beta1.Video) { v.Generation = 2 }), nil, 40 * minute, want{kind: actionWrite}},
		"a suspended video waits without a limit": {fresh(func(v *v1beta1.Video) { v.Generation = 2 }), []func(*observed){without(0)}, 40 * minute, want{kind: actionWait, reason: v1beta1.ReasonMediaNotFound}},
		"an image as avatar":                      {fresh(), []func(*observed){asset(0, func(m *v1beta1.MediaAsset) { m.Status.Probe.Kind = "image" })}, 0, want{kind: actionFail, code: catalog.ValidationFailed, field: "avatar_media_id", reason: v1beta1.ReasonFailed}},
		"an image as demo":                        {fresh(), []func(*observed){asset(1, func(m *v1beta1.MediaAsset) { m.Status.Probe.Kind = "image" })}, 0, want{kind: actionFail, code: catalog.ValidationFailed, field: "product_demo_media_ids", reason: v1beta1.ReasonFailed}},
		"a failed demo":                           {fresh(), []func(*observed){asset(1, refusedAsset(false))}, 0, want{kind: actionFail, code: catalog.MediaTooLarge, field: "product_demo_media_ids", reason: v1beta1.ReasonFailed}},
		"a demo that starts after its end":        {fresh(from(4000)), nil, 0, want{kind: actionFail, code: catalog.ValidationFailed, field: "clips[0].start", reason: v1beta1.ReasonFailed}},
		"a demo without remaining length":         {fresh(from(3501)), nil, 0, want{kind: actionFail, code: catalog.ValidationFailed, field: "clips[0].start", reason: v1beta1.ReasonFailed}},
		"a demo with enough remaining length":     {fresh(from(3500)), nil, 0, want{kind: actionStart}},
		"a demo of another brand":                 {fresh(), []func(*observed){asset(1, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = &v1beta1.LocalRef{Name: "other"} })}, 0, want{kind: actionFail, code: catalog.ValidationFailed, field: "product_demo_media_ids", reason: v1beta1.ReasonFailed}},
		"a demo of the brand":                     {fresh(), []func(*observed){asset(1, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = &v1beta1.LocalRef{Name: "acme"} })}, 0, want{kind: actionStart}},
		"an avatar of the library": {fresh(func(v *v1beta1.Video) {
			v.Spec.Avatar = v1beta1.ClipSource{LibraryRef: &v1beta1.LocalRef{Name: "mia"}}
		}), nil, 0, want{kind: actionStart}},
		"a clip of a brand of the library": {fresh(func(v *v1beta1.Video) {
			v.Spec.Avatar = v1beta1.ClipSource{LibraryRef: &v1beta1.LocalRef{Name: "mia"}}
		}), []func(*observed){asset(0, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = &v1beta1.LocalRef{Name: "acme"} })}, 0, want{kind: actionWait, reason: v1beta1.ReasonMediaNotFound, again: 30 * minute}},
		"URLs are fetched after the start":        {fresh(byURL), []func(*observed){without(1)}, 0, want{kind: actionStart}},
		"fetched clips":                           {fresh(byURL, working), []func(*observed){without(1)}, 0, want{kind: actionFetch}},
		"text generated during the fetch":         {fresh(byURL, working), []func(*observed){asset(1, unready)}, 0, want{kind: actionWrite}},
		"waiting for the clip":                    {fresh(byURL, working, hasText), []func(*observed){asset(1, unready)}, minute, want{kind: actionWait, reason: v1beta1.ReasonMediaNotReady, again: 19 * minute}},
		"a failed URL":                            {fresh(byURL, working, hasText), []func(*observed){asset(1, refusedAsset(true))}, minute, want{kind: actionFail, code: catalog.MediaTooLarge, field: "product_demo_urls[0]", reason: v1beta1.ReasonFailed}},
		"a demo deleted in progress":              {fresh(working, hasText), []func(*observed){without(1)}, minute, want{kind: actionWait, reason: v1beta1.ReasonMediaNotFound, again: 19 * minute}},
		"a text for another hook":                 {fresh(working, hasText, func(v *v1beta1.Video) { v.Spec.HookText = ptr.To("Coffee") }), nil, 0, want{kind: actionWrite}},
		"a text for its hook":                     {fresh(working, hasText, func(v *v1beta1.Video) { v.Spec.HookText = ptr.To(" All about\ntea") }), nil, 0, want{kind: actionSpeak}},
		"speech after the text":                   {fresh(working, hasText), nil, 0, want{kind: actionSpeak}},
		"the parts of the video after the speech": {fresh(working, hasText, hasSpeech), nil, 0, want{kind: actionCompose}},
		"the render after the parts":              {fresh(working, hasParts), nil, 0, want{kind: actionRender}},
		"clips deleted after the parts":           {fresh(working, hasParts), []func(*observed){without(0), without(1)}, 0, want{kind: actionRender}},
		"a render without status":                 {fresh(working, hasParts), []func(*observed){rendering("")}, 2 * minute, want{kind: actionWait, reason: v1beta1.ReasonProgressing, again: 19 * minute}},
		"the wait for a worker does not count":    {fresh(working, hasParts), []func(*observed){rendering(v1beta1.WorkQueued)}, 29 * minute, want{kind: actionWait, reason: v1beta1.ReasonProgressing, again: 19 * minute}},
		"the work of a render counts":             {fresh(working, hasParts), []func(*observed){rendering(v1beta1.WorkProcessing)}, 15 * minute, want{kind: actionWait, reason: v1beta1.ReasonProgressing, again: 14 * minute}},
		"a render that takes too long":            {fresh(working, hasParts), []func(*observed){rendering(v1beta1.WorkProcessing)}, 29 * minute, want{kind: actionFail, code: catalog.GenerationFailed, reason: v1beta1.ReasonFailed}},
		"the video takes too long":                {fresh(working), nil, 20 * minute, want{kind: actionFail, code: catalog.GenerationFailed, reason: v1beta1.ReasonFailed}},
		"the render succeeded":                    {fresh(working, hasParts), []func(*observed){rendering(v1beta1.WorkSucceeded)}, 15 * minute, want{kind: actionFinish}},
		"the render failed":                       {fresh(working, hasParts), []func(*observed){rendering(v1beta1.WorkFailed)}, 15 * minute, want{kind: actionFail, code: catalog.ValidationFailed, field: "background_music_id", reason: v1beta1.ReasonFailed}},
		"the name of the render is in use":        {fresh(working), []func(*observed){func(o *observed) { o.foreign = "Taken" }}, 0, want{kind: actionFail, code: catalog.InternalError, reason: v1beta1.ReasonFailed}},
		"finished": {fresh(working, hasParts, settled(v1beta1.WorkSucceeded, false), func(v *v1beta1.Video) {
			v.Status.Output = &v1beta1.RenderOutput{BlobKey: "renders/f.mp4", Bytes: 9, DurationMilliseconds: 2500}
		}), []func(*observed){rendering(v1beta1.WorkSucceeded)}, 90 * minute, want{}},
		"the video file was deleted":               {fresh(working, hasParts, settled(v1beta1.WorkSucceeded, false)), nil, 90 * minute, want{kind: actionRender}},
		"a deleted video is being rendered":        {fresh(working, hasParts, settled(v1beta1.WorkSucceeded, false)), []func(*observed){rendering(v1beta1.WorkProcessing)}, 90 * minute, want{kind: actionWait, reason: v1beta1.ReasonProgressing}},
		"a deleted video is rendered again":        {fresh(working, hasParts, settled(v1beta1.WorkSucceeded, false)), []func(*observed){rendering(v1beta1.WorkSucceeded)}, 90 * minute, want{kind: actionFinish}},
		"internal errors are refunded":             {fresh(working, settled(v1beta1.WorkFailed, true)), nil, 90 * minute, want{kind: actionRefund}},
		"input errors are charged":                 {fresh(working, settled(v1beta1.WorkFailed, false)), nil, 90 * minute, want{}},
		"an unneeded render is deleted":            {fresh(working, hasParts, settled(v1beta1.WorkFailed, false)), []func(*observed){rendering(v1beta1.WorkProcessing)}, 90 * minute, want{kind: actionDrop}},
		"an ended render is kept":                  {fresh(working, hasParts, settled(v1beta1.WorkFailed, false)), []func(*observed){rendering(v1beta1.WorkFailed)}, 90 * minute, want{}},
		"a retry":                                  {fresh(working, settled(v1beta1.WorkFailed, false), again), nil, 90 * minute, want{kind: actionStart}},
		"a retry after the old render is deleted":  {fresh(working, hasParts, settled(v1beta1.WorkFailed, false), again), []func(*observed){rendering(v1beta1.WorkFailed)}, 90 * minute, want{kind: actionDrop, reason: v1beta1.ReasonProgressing}},
		"a retry after a failed clip":              {fresh(byURL, working, settled(v1beta1.WorkFailed, false), again), []func(*observed){asset(1, refusedAsset(false))}, 90 * minute, want{kind: actionDrop, reason: v1beta1.ReasonProgressing}},
		"a retry of a finished video does nothing": {fresh(working, hasParts, settled(v1beta1.WorkSucceeded, false), again), []func(*observed){rendering(v1beta1.WorkSucceeded)}, 90 * minute, want{kind: actionFinish}},
		"quota exhausted":                          {fresh(), []func(*observed){func(o *observed) { o.account.Spec.Plan.SlideshowLimit = ptr.To[int32](0) }}, 0, want{kind: actionFail, code: catalog.QuotaExceeded, reason: v1beta1.ReasonQuotaExceeded}},
		"quota exhausted by this video":            {fresh(working, settled(v1beta1.WorkFailed, false), again), []func(*observed){func(o *observed) { o.account.Spec.Plan.SlideshowLimit = ptr.To[int32](0) }}, 0, want{kind: actionStart}},
	} {
		t.Run(why, func(t *testing.T) {
			d := decide(c.video, look(c.video, c.seen...), start.Add(c.at))
			got := want{kind: d.kind, reason: d.reason, again: d.requeue}
			if d.err != nil {
				got.code, got.field = catalog.Code(d.err.Code), d.err.Details["field"]
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v (%s)", got, c.want, d.message)
			}
		})
	}
}

// from sets the start of the demo, in milliseconds.
func from(start int64) change {
	return func(v *v1beta1.Video) { v.Spec.Demos[0].StartMilliseconds = start }
}

func TestUntrimmable(t *testing.T) {
	for start, want := range map[int64]string{
		0: "", 3500: "", 4000: "The clip is 4s long, so it cannot begin at 4s",
		3600: "The clip is 4s long: from 3.6s on, only 400ms are left, and at least 500ms are needed",
	} {
		if got := demoClip("a", 4000).cut(start, 0).untrimmable("clip"); got != want {
			t.Errorf("from %d ms: got %q", start, got)
		}
	}
}

func again(v *v1beta1.Video) { v.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"} }

func TestSources_AreNamedByTheFieldOfTheCaller(t *testing.T) {
	v := fresh(func(v *v1beta1.Video) {
		v.Spec.Avatar = v1beta1.ClipSource{URL: ptr.To("https://example.com/anna.mp4")}
		v.Spec.Demos = []v1beta1.DemoClip{
			{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "a"}}},
			{ClipSource: v1beta1.ClipSource{URL: ptr.To("https://example.com/0.mp4")}},
			{ClipSource: v1beta1.ClipSource{LibraryRef: &v1beta1.LocalRef{Name: "b"}}},
			{ClipSource: v1beta1.ClipSource{URL: ptr.To("https://example.com/1.mp4")}},
			{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "c"}}, Fit: "auto"},
			{ClipSource: v1beta1.ClipSource{URL: ptr.To("https://example.com/2.mp4")}, Fit: "contain"},
		}
	})
	var fields, names []string
	for _, s := range sources(v, library) {
		fields, names = append(fields, s.field), append(names, s.key.Namespace+"/"+s.key.Name)
	}
	if got := strings.Join(fields, " "); got != "avatar_url product_demo_media_ids product_demo_urls[0] product_demo_media_ids product_demo_urls[1] clips[0].media_id clips[1].url" {
		t.Error(got)
	}
	if names[1] != "tenant/a" || names[3] != library+"/b" || names[2] == names[4] || !strings.HasPrefix(names[0], "tenant/tea-avatar-") {
		t.Error(names)
	}
	m := sources(v, library)[0].media(v)
	if m.Spec.MediaType != catalog.MediaAvatarVideo || *m.Spec.Source.URL != "https://example.com/anna.mp4" || m.Spec.BrandRef.Name != "acme" || m.Finalizers[0] != v1beta1.FinalizerMediaAsset {
		t.Errorf("got %+v", m)
	}
}

func TestSpeechSource(t *testing.T) {
	for why, c := range map[string]struct {
		mode, codec, hook string
		service           bool
		want              string
	}{
		"the renderer without a service":          {"auto", "", "Hi", false, speechPackage},
		"the configured service":                  {"auto", "", "Hi", true, speechService},
		"a clip with its own sound":               {"auto", "aac", "Hi", true, speechClip},
		"a clip with sound and a requested voice": {"speak", "aac", "Hi", false, speechPackage},
		"no speech if disabled":                   {"none", "aac", "Hi", true, speechNone},
		"no speech without a text":                {"auto", "", "👀 …", true, speechNone},
		"a manifest without a mode is like auto":  {"", "", "Hi", false, speechPackage},
	} {
		v := fresh(working, hasText)
		v.Spec.Voice.Mode, v.Status.Text.Hook = c.mode, c.hook
		o := look(v, asset(0, func(m *v1beta1.MediaAsset) { m.Status.Probe.AudioCodec = c.codec }), func(o *observed) { o.service = c.service })
		if got := speechSource(v, o); got != c.want {
			t.Errorf("%s: got %s", why, got)
		}
	}
}

func TestConditions_NameFieldsOfTheManifest(t *testing.T) {
	v := fresh(byURL)
	for _, s := range sources(v, "library") {
		if got := manifestField(v, s.field); !strings.HasPrefix(got, "avatar") && !strings.HasPrefix(got, "demos") {
			t.Errorf("field %s is named %s", s.field, got)
		}
	}
	v = fresh()
	v.Status.Work = &v1beta1.Work{State: v1beta1.WorkFailed, Error: &v1beta1.WorkError{Message: "No.", Details: map[string]string{"field": "avatar_media_id"}}}
	summary(status.Conditions{List: &v.Status.Conditions, Generation: 1}, v, decision{}, result{})
	if c := meta.FindStatusCondition(v.Status.Conditions, "Ready"); c == nil || c.Message != "avatar: No" {
		t.Errorf("got Ready %+v", c)
	}
	for field, want := range map[string]string{"text_settings": "textSettings", "hook_text": "hookText", "background_music_id": "music", "voice": "voice"} {
		if got := manifestField(v, field); got != want {
			t.Errorf("field %s is named %s", field, got)
		}
	}
}
