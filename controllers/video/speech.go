// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// Values of Voice.Mode.
const (
	modeSpeak = "speak"
	modeNone  = "none"
)

// speechSource returns the source of the speech.
func speechSource(v *v1beta1.Video, o *observed) string {
	switch {
	case v.Spec.Voice.Mode == modeNone || len(speech.Words(v.Status.Text.Hook)) == 0:
		return speechNone
	case v.Spec.Voice.Mode != modeSpeak && o.clips[0].asset.Status.Probe.AudioCodec != "":
		return speechClip
	case o.service:
		return speechService
	}
	return speechPackage
}

// speak executes one step to create the speech: its sound and the times of its words.
func (r *Reconciler) speak(ctx context.Context, v *v1beta1.Video, o *observed) result {
	source := speechSource(v, o)
	switch source {
	case speechNone:
		return result{speech: silent(v)}
	case speechService:
		logged := log.IntoContext(ctx, log.FromContext(ctx).WithValues("short_id", v.Labels[v1beta1.LabelID], "attempt", v.Status.Work.Attempt))
		_, failed, err := r.studio().Ask(logged, "hook", speechKey(v, source), request(v))
		if err != nil || failed != nil {
			return result{err: err, failed: failed}
		}
	}
	return r.speakByJob(ctx, v, o, source, speechKey(v, source))
}

// studio returns the studio that speaks the hooks.
func (r *Reconciler) studio() voicing.Studio {
	return voicing.Studio{Store: r.Store, Jobs: r.Jobs, Speaker: r.Speaker, Clock: r.Clock}
}

// request returns the speech request of the hook.
func request(v *v1beta1.Video) speech.Request {
	return speech.Request{Text: v.Status.Text.Hook, Language: v.Status.Text.Language, Voice: v.Spec.Voice.Name}
}

// speechKey returns the key of the spoken hook.
func speechKey(v *v1beta1.Video, source string) string {
	return voicing.Key(Prefix(v), source, request(v))
}

// silent returns the speech of a hook that is only displayed.
func silent(v *v1beta1.Video) *v1beta1.Speech {
	words := pace(speech.Words(v.Status.Text.Hook))
	s := &v1beta1.Speech{Source: speechNone, Words: words}
	if n := len(words); n > 0 {
		s.DurationMilliseconds = words[n-1].EndMilliseconds + paceRest.Milliseconds()
	}
	return s
}

// speakByJob observes the Job that speaks the hook or determines the times of its words in a sound.
func (r *Reconciler) speakByJob(ctx context.Context, v *v1beta1.Video, o *observed, source, key string) result {
	var sp *v1beta1.Speech
	p := r.studio().Follow(ctx, voicing.Work{
		Owner: v, Kind: "video", Attempt: v.Status.SpeechAttempt,
		Conditions: status.Conditions{List: &v.Status.Conditions, Generation: v.Generation},
		Order:      func(ctx context.Context) (*order.Order, error) { return r.order(ctx, v, o, source, key) },
		Read: func(ctx context.Context, res *outcome.Media) (failed *v1beta1.WorkError) {
			sp, failed = r.speechOf(ctx, v, source, key, res)
			return failed
		},
	})
	switch {
	case p.Refused != nil:
		return refused(v, source, p.Refused)
	case p.Failed != nil:
		return result{failed: p.Failed, final: true}
	}
	return result{err: p.Err, wait: p.Wait, attempt: p.Attempt, speech: sp}
}

// refused returns the result for a hook that cannot be spoken. The hook is only displayed, unless the spec requires a
// voice.
func refused(v *v1beta1.Video, source string, e *v1beta1.WorkError) result {
	reason := outcome.Reason(e.Details["reason"])
	unspoken := reason == outcome.OtherLanguage || reason == outcome.Unspeakable
	if source == speechClip || unspoken && v.Spec.Voice.Mode != modeSpeak {
		s := silent(v)
		if source == speechClip { // the clip has its own speech; the times of the words are estimated
			s.Source = speechClip
		}
		return result{speech: s}
	}
	if reason == outcome.UnknownVoice || unspoken {
		e.Code, e.Details = string(catalog.ValidationFailed), map[string]string{"field": "voice", "reason": string(reason)}
	}
	return result{failed: e}
}

// tidy removes what only the Jobs needed.
func (r *Reconciler) tidy(ctx context.Context, v *v1beta1.Video) error {
	return r.studio().Tidy(ctx, v, v.Status.SpeechAttempt)
}

// order returns the order of a Job to speak the hook, or to determine the times of its words.
func (r *Reconciler) order(ctx context.Context, v *v1beta1.Video, o *observed, source, key string) (*order.Order, error) {
	t := v.Status.Text
	w := &order.Order{
		Kind:   order.Listen,
		Speech: &order.Speech{Text: t.Hook, Language: t.Language},
		Limits: order.Limits{DurationMilliseconds: catalog.MaxClipDuration.Milliseconds(), Tracks: catalog.MaxMediaTracks},
	}
	var err error
	switch source {
	case speechPackage:
		w.Kind, w.Speech.Voice = order.Speak, v.Spec.Voice.Name
		w.Limits.DurationMilliseconds = catalog.MaxVideoDuration.Milliseconds()
		w.File, err = r.studio().Target(ctx, key)
	case speechClip:
		p := o.clips[0].asset.Status.Probe
		w.Input = &order.Input{ContentType: p.ContentType, MaxBytes: catalog.MaxVideoBytes}
		w.Input.URL, err = r.Store.SignedGet(ctx, o.clips[0].asset.Status.BlobKey, runner.MediaValid)
	case speechService:
		w.Input, err = r.studio().Input(ctx, key)
	}
	return w, err
}

// speechOf returns the speech from the result of a Job. A malicious file may have taken over the Job, so an impossible
// result is an error.
func (r *Reconciler) speechOf(ctx context.Context, v *v1beta1.Video, source, key string, res *outcome.Media) (*v1beta1.Speech, *v1beta1.WorkError) {
	s := &v1beta1.Speech{Source: source, DurationMilliseconds: res.DurationMilliseconds}
	longest := catalog.MaxVideoDuration
	if source == speechClip {
		longest = catalog.MaxClipDuration
	} else {
		s.BlobKey = key
		size := res.Bytes
		if source == speechService { // the service created the sound
			size = 0
		}
		if missing := r.studio().Missing(ctx, "hook", key, size); missing != nil {
			return nil, missing
		}
	}
	if time.Duration(res.DurationMilliseconds)*time.Millisecond > longest {
		return nil, &v1beta1.WorkError{Code: string(catalog.ValidationFailed), Message: fmt.Sprintf("Speaking the hook takes longer than %s", longest), Details: map[string]string{"field": "hook_text"}}
	}
	texts := speech.Words(v.Status.Text.Hook)
	words, timed := voicing.Timed(texts, res.Words, res.DurationMilliseconds)
	if !timed {
		words = pace(texts) // no word was recognized
	}
	s.Words = words
	return s, nil
}
