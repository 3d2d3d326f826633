// SPDX-License-Identifier: Apache-2.0

package video

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// everyFault runs a scenario once without a fault, and then once for each kind of failure of each of its writes. It
// skips a write if an earlier scenario with the same first writes has covered it.
func everyFault(t *testing.T, prefix string, tried *[]string, scenario func(t *testing.T, namespace string, failAt int, f testkit.Fault) *run, check func(t *testing.T, clean, u *run)) {
	clean := scenario(t, prefix+"-clean", 0, "")
	check(t, clean, clean)
	same := 0
	for same < min(len(*tried), len(clean.rec.Writes)) && (*tried)[same] == clean.rec.Writes[same] {
		same++
	}
	if len(*tried) == 0 {
		*tried = slices.Clone(clean.rec.Writes)
	}
	for _, cell := range testkit.Cells(clean.rec.Writes) {
		if cell.At <= same {
			continue
		}
		t.Run(cell.String(), func(t *testing.T) {
			t.Parallel() // each has its own namespace
			check(t, clean, scenario(t, prefix+"-"+cell.Tag, cell.At, cell.Fault))
		})
	}
}

// jobs returns the number of Jobs that were created for the video.
func (u *run) jobs() int {
	u.t.Helper()
	var list batchv1.JobList
	if err := u.w.cluster.Client.List(u.t.Context(), &list, client.InNamespace(u.key.Namespace)); err != nil {
		u.t.Fatal(err)
	}
	return len(list.Items)
}

func TestVideo_SurvivesFaults(t *testing.T) {
	w := newWorld(t)
	var tried []string // writes of a manifest that succeeds

	// succeeded checks that the video is ready, was charged once and rendered once, and that no further pass writes.
	succeeded := func(t *testing.T, clean, u *run) {
		u.t = t
		if diff := cmp.Diff(clean.final(), u.final()); diff != "" {
			t.Errorf("the final state differs (-clean +this):\n%s", diff)
		}
		v := u.live()
		if v.Status.Work.State != v1beta1.WorkSucceeded || v.Status.Work.Attempt != 1 || v.Status.Output == nil {
			t.Fatalf("got work %+v, error %+v", v.Status.Work, v.Status.Work.Error)
		}
		if c := v.Status.Charge; u.used() != 1 || c.Charges != 1 || c.Refunds != 0 {
			t.Errorf("charged %d times: %+v", u.used(), c)
		}
		want := 1
		if u.lostText {
			want = 2 // the loss cannot be detected
		}
		if u.text.calls != want {
			t.Errorf("the text was generated %d times, want %d", u.text.calls, want)
		}
		var renders v1beta1.RenderJobList
		if err := u.rec.List(t.Context(), &renders, client.InNamespace(u.key.Namespace)); err != nil {
			t.Fatal(err)
		}
		if len(renders.Items) != 1 || renders.Items[0].Name != "tea-film" || !slices.Contains(renders.Items[0].Finalizers, v1beta1.FinalizerRenderJob) {
			t.Errorf("got %d renders, want 1", len(renders.Items))
		}
		u.isStable()
	}

	t.Run("a manifest, spoken by the renderer", func(t *testing.T) {
		everyFault(t, "pack", &tried, func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return w.run(t, ns, n, f)
		}, func(t *testing.T, clean, u *run) {
			succeeded(t, clean, u)
			v := u.live()
			if s := v.Status.Speech; s.Source != speechPackage || s.DurationMilliseconds != 2000 || len(s.Words) != 4 || s.Words[1] != (v1beta1.SpokenWord{Text: "picked", StartMilliseconds: 500, EndMilliseconds: 900}) {
				t.Errorf("got speech %+v", s)
			}
			if n := u.jobs(); n != 1 || v.Status.SpeechAttempt != 1 {
				t.Errorf("got %d Jobs, attempt %d", n, v.Status.SpeechAttempt)
			}
			want := []string{"captions.srt", "captions.vtt", "thumbnail.jpg", "words.json", "words/001.png", "words/002.png", "words/003.png", "words/004.png"}
			if got := slices.DeleteFunc(u.files(Prefix(v)), func(f string) bool { return strings.HasPrefix(f, "speech-") }); !slices.Equal(got, want) {
				t.Errorf("stored %v", got)
			}
			if left := u.files(runner.MediaPrefix(v)); len(left) > 0 {
				t.Errorf("files of the Job are left: %v", left)
			}
		})
	})

	t.Run("a video of the front end, with a speech service and a clip of a URL", func(t *testing.T) {
		everyFault(t, "door", new([]string), func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return w.run(t, ns, n, f, throughDoor, demoByURL, withService)
		}, func(t *testing.T, clean, u *run) {
			succeeded(t, clean, u)
			v := u.live()
			if u.voice.calls != 1 || v.Status.Speech.Source != speechService {
				t.Errorf("got %d calls of the service: %+v", u.voice.calls, v.Status.Speech)
			}
			var assets v1beta1.MediaAssetList
			if err := u.rec.List(t.Context(), &assets, client.InNamespace(u.key.Namespace)); err != nil {
				t.Fatal(err)
			}
			own := 0
			for i := range assets.Items {
				if len(assets.Items[i].OwnerReferences) == 1 && assets.Items[i].OwnerReferences[0].UID == v.UID {
					own++
				}
			}
			if own != 1 || len(assets.Items) != 3 {
				t.Errorf("the video owns %d of %d assets", own, len(assets.Items))
			}
		})
	})

	t.Run("a video with texts, a call to action and a picture in picture", func(t *testing.T) {
		everyFault(t, "text", &tried, func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return w.run(t, ns, n, f, func(_ *run, _ *v1beta1.Account, v *v1beta1.Video) {
				v.Spec.AvatarLayout = v1beta1.AvatarPictureInPicture
				d := &v.Spec.Demos[0]
				d.StartMilliseconds, d.EndMilliseconds, d.Text, d.CallToAction = 1000, ptr.To[int64](3000), "Import", "Try it"
			})
		}, func(t *testing.T, clean, u *run) {
			succeeded(t, clean, u)
			v := u.live()
			if c := v.Status.Clips; len(c) != 3 || !c[0].PictureInPicture || c[1].SourceStartMilliseconds != 1000 || c[2].DurationMilliseconds != 500 {
				t.Errorf("got clips %+v", c)
			}
			if got := u.files(Prefix(v) + "words/demo-1"); !slices.Equal(got, []string{"-button.png", "-text.png"}) {
				t.Errorf("stored %v", got)
			}
		})
	})

	t.Run("a video that fails internally", func(t *testing.T) {
		everyFault(t, "bad", &tried, func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return w.run(t, ns, n, f, func(u *run, _ *v1beta1.Account, _ *v1beta1.Video) {
				u.renderFailure = func() *v1beta1.WorkError { return failure(catalog.GenerationFailed, true) }
			})
		}, func(t *testing.T, _, u *run) {
			u.t = t
			v := u.live()
			if v.Status.Work.State != v1beta1.WorkFailed || !v.Status.Work.Error.Retryable || u.used() != 0 || v.Status.Charge.Refunds != 1 {
				t.Errorf("got work %+v, used %d, charge %+v", v.Status.Work, u.used(), v.Status.Charge)
			}
			u.isStable()
		})
	})

	t.Run("a video that is retried", func(t *testing.T) {
		everyFault(t, "again", &tried, func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			tries := 0
			u := w.run(t, ns, n, f, demoByURL, func(u *run, _ *v1beta1.Account, _ *v1beta1.Video) {
				u.fetched = func(m *v1beta1.MediaAsset) {
					if tries++; tries == 1 {
						refusedAsset(true)(m)
						return
					}
					ready4s(m)
				}
				u.renderFailure = func() *v1beta1.WorkError {
					if tries++; tries == 3 {
						return failure(catalog.GenerationFailed, true)
					}
					return nil
				}
			})
			for i := range 2 { // first the clip failed, then the render
				v := u.live()
				v.Annotations = map[string]string{v1beta1.AnnotationRetry: fmt.Sprint(i)}
				if err := w.cluster.Client.Update(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				u.settle()
			}
			return u
		}, func(t *testing.T, _, u *run) {
			u.t = t
			v := u.live()
			if v.Status.Work.State != v1beta1.WorkSucceeded || v.Status.Output == nil {
				t.Fatalf("got work %+v, %+v", v.Status.Work, v.Status.Work.Error)
			}
			if c := v.Status.Charge; u.used() != 1 || c.Charges != 3 || c.Refunds != 2 {
				t.Errorf("used %d, charge %+v", u.used(), c)
			}
			want := 1
			if u.lostText {
				want = 2
			}
			if u.text.calls != want {
				t.Errorf("the text was generated %d times", u.text.calls)
			}
			u.isStable()
		})
	})

	t.Run("a deleted video", func(t *testing.T) {
		everyFault(t, "gone", &tried, func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			u := w.run(t, ns, n, f, throughDoor)
			v := u.live()
			if err := w.cluster.Client.Delete(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			u.settle()
			if left := u.files(Prefix(v), runner.MediaPrefix(v)); len(left) > 0 || !u.isDeleted() {
				t.Errorf("gone: %v, left in the store: %v", u.isDeleted(), left)
			}
			return u
		}, func(t *testing.T, _, u *run) {
			u.t = t
			if n := u.used(); n != 1 {
				t.Errorf("used %d", n)
			}
		})
	})
}

func TestVideo_Scenarios(t *testing.T) {
	w := newWorld(t)
	type prepare = func(*run, *v1beta1.Account, *v1beta1.Video)
	says := func(f func(attempt int) *outcome.Failure) prepare {
		return func(u *run, _ *v1beta1.Account, _ *v1beta1.Video) { u.speechFailure = f }
	}
	lost := &outcome.Failure{Code: outcome.GenerationFailed, Reason: outcome.Killed, Message: "Killed.", Retryable: true}
	other := &outcome.Failure{Code: outcome.ValidationFailed, Reason: outcome.OtherLanguage, Message: "Nobody here speaks it."}
	always := func(f *outcome.Failure) func(int) *outcome.Failure {
		return func(int) *outcome.Failure { return f }
	}
	voiceMode := func(mode string) prepare {
		return func(_ *run, _ *v1beta1.Account, v *v1beta1.Video) { v.Spec.Voice.Mode = mode }
	}
	n := 0
	runVideo := func(t *testing.T, p ...prepare) (*run, *v1beta1.Video) {
		t.Helper()
		n++
		u := w.run(t, fmt.Sprintf("course-%d", n), 0, "", p...)
		return u, u.live()
	}

	t.Run("retries speech after a lost worker", func(t *testing.T) {
		u, v := runVideo(t, says(func(n int) *outcome.Failure {
			if n < 3 {
				return lost
			}
			return nil
		}))
		if v.Status.Work.State != v1beta1.WorkSucceeded || v.Status.SpeechAttempt != 3 || u.spoken != 3 {
			t.Errorf("got %+v after %d attempts", v.Status.Work, u.spoken)
		}
	})
	t.Run("fails after three lost workers, and retries on request", func(t *testing.T) {
		u, v := runVideo(t, says(always(lost)))
		if e := v.Status.Work.Error; e == nil || !e.Retryable || u.spoken != 3 || v.Status.Work.Attempt != 1 || u.used() != 0 {
			t.Errorf("got %+v after %d attempts", v.Status.Work, u.spoken)
		}
		if left := u.files(runner.MediaPrefix(v)); len(left) > 0 {
			t.Errorf("left in the store: %v", left)
		}
		v.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"}
		if err := w.cluster.Client.Update(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		u.speechFailure = nil
		u.settle()
		if v := u.live(); v.Status.Work.State != v1beta1.WorkSucceeded || v.Status.SpeechAttempt != 4 {
			t.Errorf("after the retry: got %+v, attempt %d", v.Status.Work, v.Status.SpeechAttempt)
		}
	})
	t.Run("shows the text silently in a language without a voice", func(t *testing.T) {
		_, v := runVideo(t, says(always(other)))
		if s := v.Status.Speech; v.Status.Work.State != v1beta1.WorkSucceeded || s.Source != speechNone || len(s.Words) != 4 || v.Status.WordsKey == "" || v.Status.CaptionsKey != "" {
			t.Errorf("got %+v, speech %+v", v.Status.Work, s)
		}
	})
	t.Run("fails in a language without a voice if speech is required", func(t *testing.T) {
		_, v := runVideo(t, says(always(other)), voiceMode(modeSpeak))
		if e := v.Status.Work.Error; e == nil || e.Code != string(catalog.ValidationFailed) || e.Details["field"] != "voice" || e.Details["reason"] != string(outcome.OtherLanguage) {
			t.Errorf("got error %+v", e)
		}
	})
	t.Run("does not speak if speech is disabled", func(t *testing.T) {
		u, v := runVideo(t, voiceMode(modeNone))
		if s := v.Status.Speech; s.Source != speechNone || u.spoken != 0 || v.Status.Clips[0].DurationMilliseconds != 4000 || v.Status.CaptionsKey != "" {
			t.Errorf("got %+v, clips %+v", s, v.Status.Clips)
		}
	})
	t.Run("shows demo texts of a silent video", func(t *testing.T) {
		_, v := runVideo(t, func(_ *run, _ *v1beta1.Account, v *v1beta1.Video) {
			v.Spec.HookText, v.Spec.Demos[0].Text = ptr.To("👀"), "Import"
		})
		if s := v.Status.Speech; v.Status.Work.State != v1beta1.WorkSucceeded || len(s.Words) != 0 || v.Status.WordsKey == "" || v.Status.CaptionsKey != "" {
			t.Errorf("got %+v, speech %+v, words %q, captions %q", v.Status.Work, s, v.Status.WordsKey, v.Status.CaptionsKey)
		}
	})
	t.Run("transcribes an avatar clip with sound", func(t *testing.T) {
		// The sound of the clip is known once it is ready. The video waits until then.
		u, v := runVideo(t, func(_ *run, _ *v1beta1.Account, v *v1beta1.Video) { v.Spec.Suspend = true })
		if v.Status.Work != nil || meta.FindStatusCondition(v.Status.Conditions, "Ready").Reason != string(v1beta1.ReasonSuspended) {
			t.Errorf("while suspended: got %+v", v.Status)
		}
		u.media("anna", func(m *v1beta1.MediaAsset) { m.Status.Probe.AudioCodec = "aac" })
		v.Spec.Suspend = false
		if err := w.cluster.Client.Update(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		u.settle()
		v = u.live()
		if s := v.Status.Speech; s == nil || s.Source != speechClip || s.BlobKey != "" || u.spoken != 1 || !v.Status.Clips[0].Sound || v.Status.Clips[0].DurationMilliseconds != 4000 || v.Status.CaptionsKey == "" {
			t.Errorf("got %+v, clips %+v", s, v.Status.Clips)
		}
	})
	t.Run("fails if the speech service fails", func(t *testing.T) {
		u, v := runVideo(t, withService, func(u *run, _ *v1beta1.Account, _ *v1beta1.Video) { u.voice.err = errors.New("no route") })
		if e := v.Status.Work.Error; e == nil || e.Message != "The hook could not be spoken" || u.voice.calls != 3 || u.used() != 0 {
			t.Errorf("got %+v after %d calls", e, u.voice.calls)
		}
	})
	t.Run("fails if the texts cannot be rendered", func(t *testing.T) {
		_, v := runVideo(t, func(u *run, _ *v1beta1.Account, _ *v1beta1.Video) {
			u.r.Drawer = &drawer{err: errors.New("no font")}
		})
		if e := v.Status.Work.Error; e == nil || e.Message != "The captions could not be rendered" || v.Status.Work.Attempt != 3 {
			t.Errorf("got work %+v", v.Status.Work)
		}
	})
	t.Run("charges for a profile that the text model rejects", func(t *testing.T) {
		u, v := runVideo(t, func(u *run, _ *v1beta1.Account, _ *v1beta1.Video) {
			u.text.err = textgen.Fail("The profile has no words", false, nil)
		})
		if e := v.Status.Work.Error; e == nil || e.Message != "The profile has no words" || u.used() != 1 {
			t.Errorf("got %+v, used %d", e, u.used())
		}
	})
	t.Run("generates nothing without quota", func(t *testing.T) {
		u, v := runVideo(t, demoByURL, func(_ *run, a *v1beta1.Account, _ *v1beta1.Video) { a.Spec.Plan.SlideshowLimit = ptr.To[int32](0) })
		if e := v.Status.Work.Error; e == nil || e.Code != string(catalog.QuotaExceeded) || u.text.calls != 0 || u.rec.Writes[len(u.rec.Writes)-1] != "patch Video/status" || slices.Contains(u.rec.Writes, "create MediaAsset") {
			t.Errorf("got %+v, writes %v", e, u.rec.Writes)
		}
	})
	t.Run("renders a deleted video again", func(t *testing.T) {
		u, v := runVideo(t)
		j := &v1beta1.RenderJob{}
		if err := u.rec.Get(t.Context(), client.ObjectKey{Namespace: v.Namespace, Name: "tea-film"}, j); err != nil {
			t.Fatal(err)
		}
		if err := w.cluster.Client.Delete(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		u.others()
		if _, err := u.r.Reconcile(t.Context(), u.live()); err != nil {
			t.Fatal(err)
		}
		if v := u.live(); v.Status.Output != nil || v.Status.Work.State != v1beta1.WorkSucceeded {
			t.Errorf("before the render: got %+v, output %+v", v.Status.Work, v.Status.Output)
		}
		u.settle()
		after := u.live()
		if after.Status.Output == nil || after.Status.Output.BlobKey == v.Status.Output.BlobKey || !after.Status.Work.FinishedAt.Equal(v.Status.Work.FinishedAt) || u.used() != 1 {
			t.Errorf("got %+v, used %d", after.Status.Output, u.used())
		}
		u.isStable()
	})
	t.Run("names a missing clip", func(t *testing.T) {
		u, v := runVideo(t, func(_ *run, _ *v1beta1.Account, v *v1beta1.Video) { v.Spec.Avatar.MediaRef.Name = "nobody" })
		if c := meta.FindStatusCondition(v.Status.Conditions, "Ready"); c.Reason != string(v1beta1.ReasonMediaNotFound) || !strings.Contains(c.Message, `"nobody"`) || v.Status.Work != nil {
			t.Errorf("got condition %+v", c)
		}
		u.isStable()
		u.clock.Step(31 * time.Minute)
		u.settle()
		if v := u.live(); v.Status.Work == nil || v.Status.Work.Error == nil || v.Status.Work.Error.Code != string(catalog.ValidationFailed) || u.used() != 0 {
			t.Errorf("got work %+v", v.Status.Work)
		}
	})
}
