// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/work/outcome"
)

// fieldDuration is the field of a Normalization with slides.ReasonSpeech. The Normalization has no overlay, like that of
// the gradient.
const (
	fieldDuration = "duration_seconds"
	noOverlay     = -1
)

// passagesOf returns the passage of each slide, by the index of the slide. A slide without words has an empty text.
func passagesOf(s *v1beta1.Slideshow, o *observed, source string) []voicing.Passage {
	language := cmp.Or(s.Spec.Language, o.Brand.Spec.Language)
	if len(s.Spec.Slides) == 0 {
		language = s.Status.Text.Language
	}
	wanted := map[int64]deck.Slide{}
	for _, sl := range deck.Slides(s) {
		wanted[sl.ID] = sl
	}
	out := make([]voicing.Passage, len(s.Status.Slides))
	for i := range s.Status.Slides {
		sl := &s.Status.Slides[i]
		r := speech.Request{Text: voicing.Text(blocks(sl, wanted[sl.ID])...), Language: language, Voice: s.Spec.Voice.Name}
		out[i] = voicing.Passage{Key: voicing.Key(slides.Prefix(s), source, r), Request: r}
	}
	return out
}

// blocks returns the texts of a slide in reading order. The number that a style puts on a slide is not among them.
func blocks(drawn *v1beta1.Slide, wanted deck.Slide) []string {
	if wanted.Overlays == nil {
		return []string{wanted.Heading, wanted.Body}
	}
	overlays := slices.Clone(drawn.TextOverlays)
	slices.SortStableFunc(overlays, func(a, b v1beta1.TextOverlay) int {
		if a.Position == nil || b.Position == nil {
			return 0
		}
		return cmp.Or(cmp.Compare(a.Position.Y, b.Position.Y), cmp.Compare(a.Position.X, b.Position.X))
	})
	var out []string
	for _, t := range overlays {
		out = append(out, t.Text)
	}
	return out
}

// sayable reports whether a passage can be spoken: it has words, and not too many.
func sayable(p voicing.Passage) bool {
	return p.Text != "" && utf8.RuneCountInString(p.Text) <= catalog.MaxSpeechCharacters
}

// narration is the voice-over of a revision.
type narration struct {
	slides         []v1beta1.Slide
	normalizations []v1beta1.Normalization
	status         v1beta1.VoiceOverStatus
	// words of the whole video, with their times from its beginning.
	words []v1beta1.SpokenWord
	// length of the video.
	length time.Duration
}

// narrate returns the voice-over of the current revision. records has the records of the passages that can be spoken,
// by key.
func narrate(s *v1beta1.Slideshow, source string, passages []voicing.Passage, records map[string]*voicing.Record) narration {
	n := narration{
		slides: slices.Clone(s.Status.Slides), normalizations: slices.Clone(s.Status.Normalizations),
		status: v1beta1.VoiceOverStatus{Revision: s.Status.Revision, Source: source},
	}
	asked := map[int64]float64{}
	for _, sl := range deck.Slides(s) {
		asked[sl.ID] = sl.DurationSeconds
	}
	unspoken := map[string][]string{} // numbers of slides by the reason
	for i, p := range passages {
		sl, r := &n.slides[i], records[p.Key]
		sl.Speech = nil
		switch {
		case p.Text == "":
			continue
		case r == nil:
			why := fmt.Sprintf("the text has more than %d characters", catalog.MaxSpeechCharacters)
			unspoken[why] = append(unspoken[why], strconv.Itoa(i+1))
			continue
		case r.Refused != "":
			why := reasonOf(r.Refused)
			unspoken[why] = append(unspoken[why], strconv.Itoa(i+1))
			continue
		}
		sl.Speech = &v1beta1.SlideSpeech{BlobKey: p.Key, DurationMilliseconds: r.DurationMilliseconds}
		least := (catalog.SlideSpeechLead + catalog.SlideSpeechTail).Milliseconds() + r.DurationMilliseconds
		if want := asked[sl.ID]; want > 0 && least > sl.DurationMilliseconds {
			n.normalizations = append(n.normalizations, v1beta1.Normalization{
				SlideID: sl.ID, OverlayIndex: noOverlay, Field: fieldDuration, Reason: slides.ReasonSpeech,
				From: seconds(want), To: seconds(float64(least) / 1000),
			})
		}
		sl.DurationMilliseconds = max(sl.DurationMilliseconds, least)
	}
	n.normalizations = n.normalizations[:min(len(n.normalizations), slides.MaxNormalizations)]
	n.status.Unspoken = unspokenMessage(unspoken)
	slides.ExtendLast(n.slides)
	at := 0 // in frames, as the video rounds them
	for i, p := range passages {
		if sp := n.slides[i].Speech; sp != nil {
			begin := time.Duration(at)*time.Second/timeline.DefaultFPS + catalog.SlideSpeechLead
			n.words = append(n.words, timesOf(p, records[p.Key], begin.Milliseconds())...)
		}
		at += timeline.FramesOf(time.Duration(n.slides[i].DurationMilliseconds) * time.Millisecond)
	}
	n.length = time.Duration(at) * time.Second / timeline.DefaultFPS
	return n
}

func seconds(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// timesOf returns the words of a passage with their times in the video, in which it begins at a time in milliseconds.
// Times that the Job did not report are estimated.
func timesOf(p voicing.Passage, r *voicing.Record, begin int64) []v1beta1.SpokenWord {
	texts := speech.Words(p.Text)
	words, timed := voicing.Timed(texts, r.Words, r.DurationMilliseconds)
	if !timed {
		words = nil
		for i, t := range speech.Spread(texts, time.Duration(r.DurationMilliseconds)*time.Millisecond) {
			words = append(words, v1beta1.SpokenWord{Text: texts[i], StartMilliseconds: t.Start.Milliseconds(), EndMilliseconds: t.End.Milliseconds()})
		}
	}
	for i := range words {
		words[i].StartMilliseconds += begin
		words[i].EndMilliseconds += begin
	}
	return words
}

// reasonOf returns the reason why slides cannot be spoken, as a part of a sentence.
func reasonOf(r outcome.Reason) string {
	switch r {
	case outcome.OtherLanguage:
		return "no voice of this installation speaks the language"
	case outcome.TooComplex:
		return "the text takes too long to speak"
	}
	return "nothing in the text can be spoken"
}

// unspokenMessage returns a sentence without a full stop on the slides that are not spoken; empty when there are none.
func unspokenMessage(slidesBy map[string][]string) string {
	var out []string
	for why, n := range slidesBy {
		which := "slide " + n[0] + " is"
		if len(n) > 1 {
			which = "slides " + strings.Join(n, ", ") + " are"
		}
		out = append(out, fmt.Sprintf("%s silent, because %s", which, why))
	}
	if len(out) == 0 {
		return ""
	}
	slices.Sort(out)
	all := strings.Join(out, "; ")
	return strings.ToUpper(all[:1]) + all[1:]
}
