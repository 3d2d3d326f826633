// SPDX-License-Identifier: Apache-2.0

package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/filmwords"
	"github.com/reelops/reelops/internal/overlay"
	"github.com/reelops/reelops/internal/status"
	"github.com/reelops/reelops/internal/subtitle"
)

// Letterer draws the words of a hook as they are spoken, and writes them down as captions.
type Letterer interface {
	Letter(ctx context.Context, r LetterRequest) (*Lettering, error)
}

// LetterRequest is what shall be drawn.
type LetterRequest struct {
	// Words with their times from the film's beginning.
	Words       []v1alpha1.SpokenWord
	Settings    v1alpha1.TextSettings
	Language    string
	AspectRatio catalog.AspectRatio
}

// Lettering is what was drawn.
type Lettering struct {
	// States follow each other; none stands while another does.
	States         []State
	Normalizations []v1alpha1.Normalization
	// WebVTT and SRT are the words as captions.
	WebVTT, SRT []byte
}

// State is a picture of words, a PNG with transparency, at its place on the canvas and for its time in milliseconds.
type State struct {
	PNG      []byte
	X, Y     int
	From, To int64
}

// firstWords is how late the first words may be said to stand from the beginning on.
const firstWords = 500 * time.Millisecond

// keepWords is how long the last words may stand after they were said, until the avatar goes.
const keepWords = 1500 * time.Millisecond

// compose draws the words, stores them, and fixes when each clip is shown.
func (r *Reconciler) compose(ctx context.Context, v *v1alpha1.Video, o *seen) did {
	s := v.Status.Speech
	c := &composed{clips: compose(v, o.clips, s)}
	if len(s.Words) == 0 {
		return did{composed: c}
	}
	ratio, _ := catalog.AspectRatioByValue(v.Spec.AspectRatio)
	began := r.Clock.Now()
	drawn, err := r.Letters.Letter(ctx, LetterRequest{
		Words: onFilm(s), Settings: v.Spec.TextSettings, Language: v.Status.Text.Language, AspectRatio: ratio,
	})
	if err != nil {
		if ctx.Err() != nil {
			return did{err: err} // the manager is stopping: the next one draws
		}
		var invalid *overlay.Invalid
		if errors.As(err, &invalid) {
			return did{failed: &v1alpha1.WorkError{Code: string(catalog.ValidationFailed), Message: status.Sentence(invalid.Message), Details: map[string]string{"field": "text_settings"}}}
		}
		log.FromContext(ctx).Error(err, "drawing the words", "attempt", v.Status.Work.Attempt)
		return did{failed: &v1alpha1.WorkError{Code: string(catalog.GenerationFailed), Message: "The words could not be drawn", Retryable: true}}
	}
	c.normalizations = drawn.Normalizations
	if len(drawn.States) > 0 {
		if c.wordsKey, err = r.storeWords(ctx, v, spots(v, drawn.States, c.clips[0].DurationMilliseconds), drawn.States); err != nil {
			return did{err: err}
		}
	}
	if s.Source != speechNone {
		if c.captionsKey, err = r.storeCaptions(ctx, v, drawn); err != nil {
			return did{err: err}
		}
	}
	log.FromContext(ctx).Info("words drawn", "short_id", v.Labels[v1alpha1.LabelID], "pictures", len(drawn.States), "draw_ms", r.Clock.Since(began).Milliseconds())
	return did{composed: c}
}

// composed is what fixes the film.
type composed struct {
	clips                 []v1alpha1.VideoClip
	wordsKey, captionsKey string
	normalizations        []v1alpha1.Normalization
}

// onFilm are the words with their times from the film's beginning.
func onFilm(s *v1alpha1.Speech) []v1alpha1.SpokenWord {
	out := make([]v1alpha1.SpokenWord, len(s.Words))
	for i, w := range s.Words {
		w.StartMilliseconds += lead(s).Milliseconds()
		w.EndMilliseconds += lead(s).Milliseconds()
		out[i] = w
	}
	return out
}

// spots are the states with the names of their pictures. The first words stand from the first picture on, which is also the
// film's poster, and the last ones until the avatar goes.
func spots(v *v1alpha1.Video, states []State, avatar int64) []filmwords.Spot {
	var out []filmwords.Spot
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
		out = append(out, filmwords.Spot{BlobKey: wordKey(v, i), X: s.X, Y: s.Y, FromMilliseconds: from, ToMilliseconds: to})
	}
	return out
}

func wordKey(v *v1alpha1.Video, i int) string { return fmt.Sprintf("%swords/%03d.png", Prefix(v), i+1) }

// storeWords stores the pictures, then the list of them.
func (r *Reconciler) storeWords(ctx context.Context, v *v1alpha1.Video, list []filmwords.Spot, states []State) (string, error) {
	for i := range list {
		if err := r.Store.Put(ctx, list[i].BlobKey, "image/png", bytes.NewReader(states[i].PNG)); err != nil {
			return "", err
		}
	}
	doc, err := filmwords.Encode(list)
	if err != nil {
		return "", err
	}
	key := Prefix(v) + "words.json"
	return key, r.Store.Put(ctx, key, "application/json", bytes.NewReader(doc))
}

// storeCaptions stores the captions in both forms, and gives the key of the WebVTT.
func (r *Reconciler) storeCaptions(ctx context.Context, v *v1alpha1.Video, l *Lettering) (string, error) {
	if err := r.Store.Put(ctx, Prefix(v)+"captions.srt", subtitle.SRTType, bytes.NewReader(l.SRT)); err != nil {
		return "", err
	}
	key := Prefix(v) + "captions.vtt"
	return key, r.Store.Put(ctx, key, subtitle.WebVTTType, bytes.NewReader(l.WebVTT))
}
