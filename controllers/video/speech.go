// SPDX-License-Identifier: Apache-2.0

package video

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/blob"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/mediajob"
	"github.com/reelops/reelops/internal/mediawork"
	"github.com/reelops/reelops/internal/sniff"
	"github.com/reelops/reelops/internal/speech"
	"github.com/reelops/reelops/internal/status"
)

// slotWait is the wait between looks for a free Job.
const slotWait = time.Second

// Ways of Voice.Mode.
const (
	modeSpeak = "speak"
	modeNone  = "none"
)

// speaker says who speaks the hook.
func speaker(v *v1alpha1.Video, o *seen) string {
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

// speak brings the speech about: its sound, and when each word is heard. One pass does one thing.
func (r *Reconciler) speak(ctx context.Context, v *v1alpha1.Video, o *seen) did {
	who := speaker(v, o)
	switch who {
	case speechNone:
		return did{speech: silent(v)}
	case speechService:
		key, d := r.fromService(ctx, v)
		if d != nil {
			return *d
		}
		return r.byJob(ctx, v, o, who, key)
	}
	return r.byJob(ctx, v, o, who, speechKey(v, who))
}

// speechKey is where the spoken hook lies. It follows from all that it depends on.
func speechKey(v *v1alpha1.Video, who string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{who, v.Spec.Voice.Name, v.Status.Text.Language, v.Status.Text.Hook}, "\x00")))
	return Prefix(v) + "speech-" + hex.EncodeToString(sum[:8])
}

// silent is a hook that is only read.
func silent(v *v1alpha1.Video) *v1alpha1.Speech {
	words := pace(speech.Words(v.Status.Text.Hook))
	s := &v1alpha1.Speech{Source: speechNone, Words: words}
	if n := len(words); n > 0 {
		s.DurationMilliseconds = words[n-1].EndMilliseconds + paceRest.Milliseconds()
	}
	return s
}

// fromService sees to it that what the service says lies in the store, and gives its key. A service is paid: what it said once is
// found again.
func (r *Reconciler) fromService(ctx context.Context, v *v1alpha1.Video) (key string, d *did) {
	key = speechKey(v, speechService)
	switch there, err := r.Store.Exists(ctx, key); {
	case err != nil:
		return "", &did{err: err}
	case there:
		return key, nil
	}
	began := r.Clock.Now()
	a, err := r.Speaker.Speak(ctx, speech.Request{Text: v.Status.Text.Hook, Language: v.Status.Text.Language, Voice: v.Spec.Voice.Name})
	if err != nil {
		if ctx.Err() != nil {
			return "", &did{err: err} // the manager is stopping: the next one asks
		}
		e := &v1alpha1.WorkError{Code: string(catalog.GenerationFailed), Message: "The hook could not be spoken", Retryable: true}
		var known *speech.Error
		if errors.As(err, &known) {
			e.Code, e.Message, e.Retryable = known.Code, status.Sentence(known.Message), known.Retryable
		}
		log.FromContext(ctx).Error(err, "speaking the hook", "attempt", v.Status.Work.Attempt)
		return "", &did{failed: e}
	}
	if err := r.Store.Put(ctx, key, a.ContentType, bytes.NewReader(a.Data)); err != nil {
		return "", &did{err: err}
	}
	log.FromContext(ctx).Info("hook spoken", "short_id", v.Labels[v1alpha1.LabelID], "bytes", len(a.Data), "speech_ms", r.Clock.Since(began).Milliseconds())
	return key, nil
}

// byJob follows the Job that speaks the hook, or listens for it in a sound, and makes what is missing of it.
func (r *Reconciler) byJob(ctx context.Context, v *v1alpha1.Video, o *seen, who, key string) did {
	if v.Status.SpeechAttempt == 0 { // an attempt is a fact before its Job is made
		if !r.Jobs.Slots.Take(v.Namespace, v.UID) {
			return did{wait: slotWait}
		}
		return did{attempt: 1}
	}
	r.Jobs.Slots.Hold(v.Namespace, v.UID)
	attempt := v.Status.SpeechAttempt
	s, err := r.Jobs.Look(ctx, v, attempt)
	if err != nil {
		return did{err: err}
	}
	status.Conditions{List: &v.Status.Conditions, Generation: v.Generation}.Unconfined(s.Unconfined("video"))
	switch verdict := mediajob.Judge(s, r.Clock.Now()); verdict.Next {
	case mediajob.Make:
		order, err := r.order(ctx, v, o, who, key)
		if err != nil {
			return did{err: err}
		}
		return did{err: r.Jobs.Launch(ctx, v, attempt, order), wait: catalog.QueueDeadline + catalog.MediaDeadline}
	case mediajob.Wait:
		return did{wait: verdict.Again}
	case mediajob.Done:
		sp, failed := r.heard(ctx, v, who, key, verdict.Result)
		if failed != nil {
			return r.lost(ctx, v, failed)
		}
		return did{speech: sp, err: r.tidy(ctx, v)}
	case mediajob.Lost:
		return r.lost(ctx, v, verdict.Err)
	default:
		if err := r.tidy(ctx, v); err != nil {
			return did{err: err}
		}
		return refused(v, who, verdict.Err)
	}
}

// refused is what becomes of a hook that cannot be said: it is read, unless somebody asked for a voice.
func refused(v *v1alpha1.Video, who string, e *v1alpha1.WorkError) did {
	reason := mediawork.Reason(e.Details["reason"])
	unspoken := reason == mediawork.OtherLanguage || reason == mediawork.Unspeakable
	if who == speechClip || unspoken && v.Spec.Voice.Mode != modeSpeak {
		s := silent(v)
		if who == speechClip { // whatever it says is heard; when it says it is estimated
			s.Source = speechClip
		}
		return did{speech: s}
	}
	if reason == mediawork.UnknownVoice || unspoken {
		e.Code, e.Details = string(catalog.ValidationFailed), map[string]string{"field": "voice", "reason": string(reason)}
	}
	return did{failed: e}
}

// lost begins the next attempt while there are any left.
func (r *Reconciler) lost(ctx context.Context, v *v1alpha1.Video, e *v1alpha1.WorkError) did {
	if n := v.Status.SpeechAttempt; int(n-1)%catalog.MaxAttempts < catalog.MaxAttempts-1 {
		return did{attempt: n + 1}
	}
	if err := r.tidy(ctx, v); err != nil {
		return did{err: err}
	}
	return did{failed: e, final: true}
}

// tidy removes what only the Jobs needed.
func (r *Reconciler) tidy(ctx context.Context, v *v1alpha1.Video) error {
	if err := r.Jobs.Tidy(ctx, v, v.Status.SpeechAttempt); err != nil {
		return err
	}
	r.Jobs.Slots.Free(v.UID)
	return nil
}

// order asks a Job to speak the hook, or to listen for it.
func (r *Reconciler) order(ctx context.Context, v *v1alpha1.Video, o *seen, who, key string) (*mediawork.Order, error) {
	t := v.Status.Text
	order := &mediawork.Order{
		Kind:   mediawork.Listen,
		Speech: &mediawork.Speech{Text: t.Hook, Language: t.Language},
		Limits: mediawork.Limits{DurationMilliseconds: catalog.MaxClipDuration.Milliseconds(), Tracks: catalog.MaxMediaTracks},
	}
	valid := mediajob.OrderValid
	var err error
	switch who {
	case speechPackage:
		order.Kind, order.Speech.Voice = mediawork.Speak, v.Spec.Voice.Name
		order.Limits.DurationMilliseconds = catalog.MaxVideoDuration.Milliseconds()
		order.File = &mediawork.Target{Headers: map[string]string{"Content-Type": soundType}}
		order.File.URL, err = r.Store.SignedPut(ctx, key, soundType, valid)
	case speechClip:
		p := o.clips[0].asset.Status.Probe
		order.Input = &mediawork.Input{ContentType: p.ContentType, MaxBytes: catalog.MaxVideoBytes}
		order.Input.URL, err = r.Store.SignedGet(ctx, o.clips[0].asset.Status.BlobKey, valid)
	case speechService:
		var head []byte
		if head, err = r.Store.Head(ctx, key, sniff.Bytes); err != nil {
			return nil, err
		}
		order.Input = &mediawork.Input{ContentType: sniff.Audio(head), MaxBytes: catalog.MaxTrackBytes}
		order.Input.URL, err = r.Store.SignedGet(ctx, key, valid)
	}
	return order, err
}

// soundType is what a Job makes.
const soundType = "audio/wav"

// heard makes the speech of what a Job found. Its process opened a file that may be hostile, so only what can be is believed.
func (r *Reconciler) heard(ctx context.Context, v *v1alpha1.Video, who, key string, res *mediawork.Result) (*v1alpha1.Speech, *v1alpha1.WorkError) {
	wrong := func(message string) *v1alpha1.WorkError {
		return &v1alpha1.WorkError{Code: string(catalog.GenerationFailed), Message: message, Retryable: true}
	}
	s := &v1alpha1.Speech{Source: who, DurationMilliseconds: res.DurationMilliseconds}
	longest := catalog.MaxVideoDuration
	if who == speechClip {
		longest = catalog.MaxClipDuration
	} else {
		s.BlobKey = key
		switch n, err := r.Store.Size(ctx, key); {
		case errors.Is(err, blob.ErrNotFound), err == nil && who == speechPackage && n != res.Bytes:
			return nil, wrong("The spoken hook is not in the store")
		case err != nil:
			return nil, wrong("The blob store could not be used")
		}
	}
	if time.Duration(res.DurationMilliseconds)*time.Millisecond > longest {
		return nil, &v1alpha1.WorkError{Code: string(catalog.ValidationFailed), Message: fmt.Sprintf("Speaking the hook takes longer than %s", longest), Details: map[string]string{"field": "hook_text"}}
	}
	texts := speech.Words(v.Status.Text.Hook)
	if len(res.Words) != 2*len(texts) {
		s.Words = pace(texts) // nothing was heard, or nobody can say when
		return s, nil
	}
	last := int64(0)
	for i, t := range texts {
		from, to := max(res.Words[2*i], last), res.Words[2*i+1]
		to = min(max(to, from), res.DurationMilliseconds)
		s.Words = append(s.Words, v1alpha1.SpokenWord{Text: t, StartMilliseconds: min(from, to), EndMilliseconds: to})
		last = to
	}
	return s, nil
}
