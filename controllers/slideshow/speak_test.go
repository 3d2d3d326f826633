// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

// talker ends the Jobs of a scenario like their pods.
type talker struct {
	u *run
	// length of a spoken slide in milliseconds, by its text; 3000 for others.
	length map[string]int64
	// refused are the rejected passages, by their text.
	refused map[string]outcome.Reason
	// fails returns the error of the Job of an attempt; nil for success of all attempts.
	fails func(attempt int32) *outcome.Failure
	// spoken has the text of all passages that Jobs spoke, in order.
	spoken []string
}

// service is a speech service that counts its requests.
type service struct {
	calls []string
	err   error
}

func (s *service) Speak(_ context.Context, r speech.Request) (*speech.Audio, error) {
	s.calls = append(s.calls, r.Text)
	if s.err != nil {
		return nil, s.err
	}
	return &speech.Audio{ContentType: "audio/wav", Data: []byte("RIFF\x24\x00\x00\x00WAVEfmt sound")}, nil
}

// withVoice requests a voice-over.
func withVoice(to **talker, change ...func(*run, *talker)) func(*run, *v1beta1.Account, *v1beta1.Slideshow) {
	return func(u *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		s.Spec.Voice = &v1beta1.VoiceOver{}
		u.r.Jobs = &runner.Runner{
			Client: u.rec, Clock: u.clock, Store: u.r.Drawer.Store, Slots: runner.NewSlots(4),
			Pod: pod.Options{Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), Scratch: resource.MustParse("1Gi"), TTLSeconds: 600},
		}
		t := &talker{u: u}
		for _, c := range change {
			c(u, t)
		}
		u.others, *to = t.work, t
	}
}

// work ends every Job that has not ended, and reports whether there was one.
func (k *talker) work() bool {
	k.u.t.Helper()
	var jobs batchv1.JobList
	if err := k.u.user.List(k.u.t.Context(), &jobs, client.InNamespace(k.u.key.Namespace)); err != nil {
		k.u.t.Fatal(err)
	}
	moved := false
	for i := range jobs.Items {
		if _, over := pod.Ended(&jobs.Items[i]); !over && jobs.Items[i].DeletionTimestamp.IsZero() {
			k.end(&jobs.Items[i])
			moved = true
		}
	}
	return moved
}

func (k *talker) end(job *batchv1.Job) {
	u, ctx := k.u, k.u.t.Context()
	u.t.Helper()
	must := func(err error) {
		u.t.Helper()
		if err != nil {
			u.t.Fatal(err)
		}
	}
	s := u.live()
	out := &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{}}
	body, err := u.r.Drawer.Store.Get(ctx, fmt.Sprintf("%sorder-%d.json", runner.MediaPrefix(s), s.Status.SpeechAttempt))
	must(err)
	doc, err := io.ReadAll(body)
	must(err)
	must(body.Close())
	o, err := order.Parse(doc)
	must(err)
	for _, p := range o.Passages {
		sound := outcome.Sound{ID: p.ID, Refused: k.refused[p.Text]}
		if sound.Refused == "" {
			data := "spoken: " + p.Text
			if o.Kind == order.Speak {
				must(u.r.Drawer.Store.Put(ctx, slides.Prefix(s)+p.ID, "audio/wav", strings.NewReader(data)))
			}
			sound.Bytes, err = u.r.Drawer.Store.Size(ctx, slides.Prefix(s)+p.ID)
			must(err)
			sound.DurationMilliseconds = max(k.length[p.Text], 3000)
			for i := range speech.Words(p.Text) {
				sound.Words = append(sound.Words, int64(i)*500, int64(i)*500+400)
			}
		}
		k.spoken = append(k.spoken, p.Text)
		out.Media.Passages = append(out.Media.Passages, sound)
	}
	if k.fails != nil {
		if f := k.fails(s.Status.SpeechAttempt); f != nil {
			out.State, out.Media, out.Error = outcome.Failed, nil, f
		}
	}
	doc, err = out.Encode()
	must(err)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: job.Name + "-x", Labels: job.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}
	p.Labels[batchv1.JobNameLabel] = job.Name
	if err := u.user.Create(ctx, p); !apierrors.IsAlreadyExists(err) {
		must(err)
	}
	p.Status.Phase = corev1.PodSucceeded
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Component, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: string(doc)}}}}
	must(u.user.Status().Update(ctx, p))
	now := metav1.NewTime(u.clock.Now())
	job.Status.StartTime, job.Status.CompletionTime, job.Status.Succeeded = &now, &now, 1
	job.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: now},
	}
	must(u.user.Status().Update(ctx, job))
}

// revise writes an edit and runs the controller.
func (u *run) revise(e deck.Edit) *v1beta1.Slideshow {
	u.t.Helper()
	s := u.live()
	r, err := deck.Apply(s, nil, e)
	if err != nil {
		u.t.Fatal(err)
	}
	s.Spec = *r.Spec
	if err := u.user.Update(u.t.Context(), s); err != nil {
		u.t.Fatal(err)
	}
	u.settle()
	return u.live()
}

func (u *run) stored(key string) string {
	u.t.Helper()
	body, err := u.r.Drawer.Store.Get(u.t.Context(), key)
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	data, err := io.ReadAll(body)
	if err != nil {
		u.t.Fatal(err)
	}
	return string(data)
}

var writersWords = []string{"Tea.", "Leaves.", "Drink."} // by the writer

func TestVoiceOver_SurvivesFaults(t *testing.T) {
	st := newStage(t)
	for name, prepare := range map[string]func(**talker) func(*run, *v1beta1.Account, *v1beta1.Slideshow){
		"job": func(k **talker) func(*run, *v1beta1.Account, *v1beta1.Slideshow) { return withVoice(k) },
		"service": func(k **talker) func(*run, *v1beta1.Account, *v1beta1.Slideshow) {
			return withVoice(k, func(u *run, _ *talker) { u.r.Speaker = &service{} })
		},
	} {
		t.Run(name, func(t *testing.T) {
			everyFault(t, "voice-"+name, func(t *testing.T, ns string, n int, f testkit.Fault) *run {
				var k *talker
				u := st.run(t, ns, &writer{}, n, f, prepare(&k))
				u.talker = k
				return u
			}, func(t *testing.T, clean, u *run) {
				u.t = t
				s := u.live()
				if s.Status.Work.State != v1beta1.WorkSucceeded || !deck.Voiced(s) || s.Status.Revision != 1 || s.Status.SpeechAttempt != 1 {
					t.Fatalf("got work %+v, voice %+v, attempt %d", s.Status.Work, s.Status.Voice, s.Status.SpeechAttempt)
				}
				if !slices.Equal(u.talker.spoken, writersWords) {
					t.Errorf("the Jobs spoke %q", u.talker.spoken)
				}
				if sp, ok := u.r.Speaker.(*service); ok && !slices.Equal(sp.calls, writersWords) {
					t.Errorf("the service got requests for %q", sp.calls)
				}
				least := (catalog.SlideSpeechLead + catalog.SlideSpeechTail).Milliseconds() + 3000
				for _, sl := range s.Status.Slides {
					if sl.Speech == nil || sl.DurationMilliseconds != least {
						t.Errorf("slide %d: got %+v for %d ms", sl.ID, sl.Speech, sl.DurationMilliseconds)
					}
				}
				if u.used() != 1 || s.Status.Charge.Charges != 1 {
					t.Errorf("charged %d times", u.used())
				}
				if vtt := u.stored(s.Status.Voice.CaptionsKey); !strings.Contains(vtt, "00:00:00.300") || !strings.Contains(vtt, "00:00:04.100") || !strings.Contains(vtt, "Leaves.") {
					t.Errorf("got captions:\n%s", vtt)
				}
				u.isStable()
			})
		})
	}
}

func TestVoiceOver_EditSpeaksOneSlideAgain(t *testing.T) {
	st := newStage(t)
	var k *talker
	u := st.run(t, "voice-edit", &writer{}, 0, "", withVoice(&k))
	before := u.live()
	s := u.revise(deck.Edit{Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{{Text: ptr.To("Only this")}}}}})
	if got := k.spoken[3:]; s.Status.Revision != 2 || !deck.Voiced(s) || !slices.Equal(got, []string{"Only this."}) {
		t.Fatalf("got revision %d, voice %+v, spoken again %q", s.Status.Revision, s.Status.Voice, got)
	}
	if *deck.Drawn(s, 1).Speech != *deck.Drawn(before, 1).Speech || *deck.Drawn(s, 2).Speech == *deck.Drawn(before, 2).Speech {
		t.Error("the speech of the slides differs from their text")
	}
	if s.Status.Voice.CaptionsKey == before.Status.Voice.CaptionsKey {
		t.Error("the captions did not change")
	}
	u.isStable()

	s = u.revise(deck.Edit{Voice: &v1beta1.VoiceOver{Mode: "none"}})
	if s.Status.Revision != 3 || s.Status.Voice != nil || deck.Drawn(s, 1).Speech != nil || deck.Drawn(s, 1).DurationMilliseconds != 2000 {
		t.Errorf("got revision %d, voice %+v, slide %+v", s.Status.Revision, s.Status.Voice, s.Status.Slides[0])
	}
	s = u.revise(deck.Edit{Voice: &v1beta1.VoiceOver{Mode: "speak"}})
	if len(k.spoken) != 4 || !deck.Voiced(s) || deck.Drawn(s, 1).Speech == nil {
		t.Errorf("enabling the voice-over again spoke %q", k.spoken)
	}
	u.isStable()
}

func TestVoiceOver_DurationsAndSilentSlides(t *testing.T) {
	st := newStage(t)
	var k *talker
	u := st.run(t, "voice-times", &writer{}, 0, "", withVoice(&k, func(_ *run, k *talker) {
		k.length, k.refused = map[string]int64{"Long one.": 4000}, map[string]outcome.Reason{"ไทย.": outcome.OtherLanguage}
	}), func(_ *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		s.Spec.Context = ""
		s.Spec.Slides = []v1beta1.SlideSpec{
			{Heading: "Long one", DurationSeconds: 1.5},
			{Heading: "Short", DurationSeconds: 9},
			{Heading: "ไทย"},
			{TextOverlays: &[]v1beta1.TextOverlay{}, DurationSeconds: 2},
		}
	})
	s := u.live()
	var got []int64
	for _, sl := range s.Status.Slides {
		got = append(got, sl.DurationMilliseconds)
	}
	if want := []int64{4800, 9000, 2000, 2000}; !slices.Equal(got, want) {
		t.Errorf("slides are shown for %v ms, want %v", got, want)
	}
	want := v1beta1.Normalization{SlideID: 1, OverlayIndex: -1, Field: "duration_seconds", From: "1.5", To: "4.8", Reason: "shorter_than_speech"}
	if !slices.Contains(s.Status.Normalizations, want) {
		t.Errorf("got normalizations %+v", s.Status.Normalizations)
	}
	if s.Status.Slides[2].Speech != nil || s.Status.Slides[3].Speech != nil || s.Status.Work.State != v1beta1.WorkSucceeded {
		t.Errorf("got slides %+v", s.Status.Slides)
	}
	if say := s.Status.Voice.Unspoken; say != "Slide 3 is silent, because no voice of this installation speaks the language" {
		t.Errorf("got %q", say)
	}
	s = u.revise(deck.Edit{Title: ptr.To("New"), Slides: []deck.SlideEdit{{ID: 1, DurationSeconds: ptr.To(8.0)}}})
	if s.Status.Slides[0].DurationMilliseconds != 8000 || slices.ContainsFunc(s.Status.Normalizations, func(n v1beta1.Normalization) bool { return n.Reason == slides.ReasonSpeech }) {
		t.Errorf("got %+v, %+v", s.Status.Slides[0], s.Status.Normalizations)
	}
}

func TestVoiceOver_Failures(t *testing.T) {
	st := newStage(t)
	fault := func(code outcome.Code, reason outcome.Reason, retryable bool) func(int32) *outcome.Failure {
		return func(int32) *outcome.Failure {
			return &outcome.Failure{Code: code, Reason: reason, Message: "No.", Retryable: retryable}
		}
	}
	for name, c := range map[string]struct {
		prepare  func(*run, *talker)
		code     catalog.Code
		field    string
		attempts int32 // of Jobs
		used     int32
	}{
		"unknown": {func(_ *run, k *talker) { k.fails = fault(outcome.ValidationFailed, outcome.UnknownVoice, false) }, catalog.ValidationFailed, "voice", 1, 1},
		"lost":    {func(_ *run, k *talker) { k.fails = fault(outcome.GenerationFailed, outcome.Killed, true) }, catalog.GenerationFailed, "", 3, 0},
		"away": {func(u *run, _ *talker) {
			u.r.Speaker = &service{err: speech.Fail("The speech service is busy", true, nil)}
		}, catalog.GenerationFailed, "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var k *talker
			u := st.run(t, "voice-bad-"+name, &writer{}, 0, "", withVoice(&k, c.prepare))
			s := u.live()
			w := s.Status.Work
			if w.State != v1beta1.WorkFailed || w.Error.Code != string(c.code) || w.Error.Details["field"] != c.field || s.Status.SpeechAttempt != c.attempts || u.used() != c.used {
				t.Fatalf("got work %+v, error %+v, attempt %d, used %d", w, w.Error, s.Status.SpeechAttempt, u.used())
			}
			if sp, ok := u.r.Speaker.(*service); ok && len(sp.calls) != catalog.MaxAttempts {
				t.Errorf("got %d calls of the service", len(sp.calls))
			}
			u.isStable()
			// A retry succeeds with new Jobs and renders no slides again.
			k.fails, u.r.Speaker = nil, nil
			s.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"}
			if err := u.user.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			u.settle()
			if s = u.live(); s.Status.Work.State != v1beta1.WorkSucceeded || s.Status.Revision != 1 || !deck.Voiced(s) {
				t.Errorf("got work %+v, voice %+v", s.Status.Work, s.Status.Voice)
			}
		})
	}
}

func TestVoiceOver_DeletionRemovesItsFiles(t *testing.T) {
	st := newStage(t)
	var k *talker
	u := st.run(t, "voice-gone", &writer{}, 0, "", withVoice(&k))
	s := u.live()
	key := deck.Drawn(s, 1).Speech.BlobKey
	if there, err := u.r.Drawer.Store.Exists(t.Context(), key); err != nil || !there || !strings.HasPrefix(key, slides.Prefix(s)+"speech-") {
		t.Fatalf("%s: got %v, %v", key, there, err)
	}
	if err := u.user.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if there, err := u.r.Drawer.Store.Exists(t.Context(), key); err != nil || there {
		t.Errorf("got %v, %v", there, err)
	}
}

func TestVoiceOver_DeletionWaitsForThePod(t *testing.T) {
	st := newStage(t)
	var k *talker
	u := st.run(t, "voice-pod", &writer{}, 0, "", withVoice(&k))
	s := u.live()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: "speech", Labels: map[string]string{v1beta1.LabelMedia: string(s.UID)},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "speech", Image: "speech"}}},
	}
	if err := u.user.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := u.user.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	u.clock.SetTime(u.live().DeletionTimestamp.Time)
	result, err := u.r.Reconcile(t.Context(), u.live())
	if err != nil || result.RequeueAfter <= 0 {
		t.Fatalf("while the pod runs: requeue after %s, %v", result.RequeueAfter, err)
	}
	if err := u.user.Delete(t.Context(), p, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if err := u.rec.Get(t.Context(), u.key, s); !apierrors.IsNotFound(err) {
		t.Errorf("the slideshow still exists after the pod ended: %v", err)
	}
}

func TestPassagesOf_ReadsInOrder(t *testing.T) {
	at := func(y float64) *v1beta1.Position { return &v1beta1.Position{X: 50, Y: y} }
	overlays := []v1beta1.TextOverlay{{Text: "second", Position: at(60)}, {Text: "First", Position: at(20)}, {Text: "🔥", Position: at(90)}}
	s := &v1beta1.Slideshow{Spec: v1beta1.SlideshowSpec{
		Voice: &v1beta1.VoiceOver{Name: "slt"}, Language: "en",
		Slides: []v1beta1.SlideSpec{{ID: 4, TextOverlays: &overlays}, {ID: 9, Heading: "1. Heat", Body: "See https://brew.example/x"}},
	}}
	s.Status.Slides = []v1beta1.Slide{{ID: 4, TextOverlays: overlays}, {ID: 9, TextOverlays: []v1beta1.TextOverlay{{Text: "01"}, {Text: "1. Heat"}}}}
	p := passagesOf(s, &observed{Inputs: slides.Inputs{Brand: &v1beta1.Brand{}}}, voicing.Package)
	if p[0].Text != "First. second." || p[1].Text != "1, Heat. See brew.example." || p[0].Voice != "slt" || p[0].Key == p[1].Key {
		t.Errorf("got passages %+v", p)
	}
}
