// SPDX-License-Identifier: Apache-2.0

package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/filmwords"
	"github.com/reelops/reelops/internal/film/subtitle"
	"github.com/reelops/reelops/internal/kube/status"
)

// firstWords is the latest start of the first words at which they are shown from the beginning of the film.
const firstWords = 500 * time.Millisecond

// keepWords is the longest time that the last words stay visible after they were spoken, until the avatar ends.
const keepWords = 1500 * time.Millisecond

// compose draws the words and labels, stores them, and determines when each clip is shown.
func (r *Reconciler) compose(ctx context.Context, v *v1beta1.Video, o *observed) result {
	s := v.Status.Speech
	c := &composed{clips: compose(v, o.clips, s)}
	labels := labelsOf(v)
	if len(s.Words) == 0 && len(labels) == 0 {
		return result{composed: c}
	}
	ratio, _ := catalog.AspectRatioByValue(v.Spec.AspectRatio)
	began := r.Clock.Now()
	req := TextRequest{
		Words: videoTimes(s), Together: c.clips[0].PictureInPicture, Settings: v.Spec.TextSettings, AspectRatio: ratio,
	}
	for _, l := range labels {
		req.Labels = append(req.Labels, l.Label)
	}
	drawn, err := r.Drawer.DrawTexts(ctx, req)
	if err != nil {
		if ctx.Err() != nil {
			return result{err: err} // the manager is stopping; its successor draws
		}
		return undrawn(ctx, v, err)
	}
	c.normalizations = drawn.Normalizations
	list := labelSpots(v, labels, drawn.Labels, c.clips)
	list = append(list, spots(v, drawn.States, c.clips[0].DurationMilliseconds)...)
	if len(list) > 0 {
		if c.wordsKey, err = r.storeWords(ctx, v, list); err != nil {
			return result{err: err}
		}
	}
	if s.Source != speechNone && len(s.Words) > 0 {
		if c.captionsKey, err = r.studio().StoreCaptions(ctx, Prefix(v)+"captions", drawn.SRT, drawn.WebVTT); err != nil {
			return result{err: err}
		}
	}
	log.FromContext(ctx).Info("captions drawn", "short_id", v.Labels[v1beta1.LabelID], "pictures", len(drawn.States)+len(labels), "draw_ms", r.Clock.Since(began).Milliseconds())
	return result{composed: c}
}

// undrawn returns the failure of words that could not be drawn.
func undrawn(ctx context.Context, v *v1beta1.Video, err error) result {
	var invalid *overlay.Invalid
	if errors.As(err, &invalid) {
		return result{failed: &v1beta1.WorkError{Code: string(catalog.ValidationFailed), Message: status.Sentence(invalid.Message), Details: map[string]string{"field": "text_settings"}}}
	}
	log.FromContext(ctx).Error(err, "drawing captions failed", "attempt", v.Status.Work.Attempt)
	return result{failed: &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: "The captions could not be rendered", Retryable: true}}
}

// composed is the result of compose.
type composed struct {
	clips                 []v1beta1.VideoClip
	wordsKey, captionsKey string
	normalizations        []v1beta1.Normalization
}

// videoTimes returns the words with their times measured from the beginning of the film.
func videoTimes(s *v1beta1.Speech) []v1beta1.SpokenWord {
	out := make([]v1beta1.SpokenWord, len(s.Words))
	for i, w := range s.Words {
		w.StartMilliseconds += lead(s).Milliseconds()
		w.EndMilliseconds += lead(s).Milliseconds()
		out[i] = w
	}
	return out
}

// spot is an image with its position and time on the film.
type spot struct {
	filmwords.Spot
	png []byte
}

// spotOf returns the spot of an image that is shown between two times, in milliseconds.
func spotOf(key string, p subtitle.Picture, from, to int64) spot {
	return spot{filmwords.Spot{BlobKey: key, X: p.X, Y: p.Y, Width: p.Width, Height: p.Height, FromMilliseconds: from, ToMilliseconds: to}, p.PNG}
}

// spots returns the states with the keys of their images. The first words are visible from the first frame on, which is
// also the film's poster. The last words stay visible until the avatar ends.
func spots(v *v1beta1.Video, states []subtitle.State, avatar int64) []spot {
	var out []spot
	for i, s := range states {
		if s.From >= avatar {
			break
		}
		from, to := s.From, min(s.To, avatar)
		if i == 0 && from <= firstWords.Milliseconds() {
			from = 0
		}
		if i == len(states)-1 && (avatar-to <= keepWords.Milliseconds() || v.Status.Speech.Source == speechNone) {
			to = avatar
		}
		out = append(out, spotOf(wordKey(v, fmt.Sprintf("%03d", i+1)), s.Picture, from, to))
	}
	return out
}

// wordKey returns the blob key of an image of words.
func wordKey(v *v1beta1.Video, name string) string { return Prefix(v) + "words/" + name + ".png" }

// storeWords stores each image once, then the list of spots. It returns the key of the list.
func (r *Reconciler) storeWords(ctx context.Context, v *v1beta1.Video, list []spot) (string, error) {
	stored := map[string]bool{}
	var names []filmwords.Spot
	for _, s := range list {
		names = append(names, s.Spot)
		if stored[s.BlobKey] {
			continue
		}
		if err := r.Store.Put(ctx, s.BlobKey, "image/png", bytes.NewReader(s.png)); err != nil {
			return "", err
		}
		stored[s.BlobKey] = true
	}
	doc, err := filmwords.Encode(names)
	if err != nil {
		return "", err
	}
	key := Prefix(v) + "words.json"
	return key, r.Store.Put(ctx, key, "application/json", bytes.NewReader(doc))
}
