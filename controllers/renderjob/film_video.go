// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/filmwords"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	// speechInput is the input with the spoken hook, and the prefix of the inputs with spoken slides.
	speechInput = "speech"
	// clipInput is the prefix of the inputs with clips.
	clipInput = "clip-"
	// wordInput is the prefix of the inputs with words.
	wordInput = "word-"
	// holdAtMost is the longest time that the last frame of a clip is held. A clip that is shown for longer is repeated: a
	// jump back is usual in such videos, a face that freezes while it speaks is not.
	holdAtMost = 500 * time.Millisecond
)

// avatarFocus keeps a face visible when a frame is cropped. The face of a speaker is above the center.
var avatarFocus = timeline.Point{X: 0.5, Y: 0.4}

// filmOf returns the film of the source's current revision.
func (r *Reconciler) filmOf(ctx context.Context, o *observed) (film, error) {
	if o.video == nil {
		return filmOf(o.source), nil
	}
	f := videoFilm(o.video, o.words)
	for key, blobKey := range f.Inputs {
		if !strings.HasPrefix(key, clipInput) {
			continue
		}
		n, err := r.Store.Size(ctx, blobKey)
		if err != nil && !errors.Is(err, blob.ErrNotFound) { // the renderer reports a missing clip
			return f, fmt.Errorf("reading the size of a clip: %w", err)
		}
		f.ClipBytes += max(n, 0)
	}
	return f, nil
}

// observeWords reads the list of the words on a video.
func (r *Reconciler) observeWords(ctx context.Context, o *observed) error {
	if o.video == nil || o.video.Status.WordsKey == "" {
		return nil
	}
	b, err := r.Store.Get(ctx, o.video.Status.WordsKey)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	o.words, err = filmwords.Read(b)
	return err
}

// decideVideo returns the decision for a Video that cannot be rendered now; nil if it can.
func decideVideo(j *v1beta1.RenderJob, o *observed, wait func(v1beta1.Reason, string) decision) *decision {
	ptr := func(d decision) *decision { return &d }
	v := o.video
	switch {
	case v == nil || !v.DeletionTimestamp.IsZero():
		return ptr(wait(v1beta1.ReasonSourceNotFound, fmt.Sprintf("There is no Video %q in the namespace", j.Spec.Source.Name)))
	case v.Status.Work != nil && v.Status.Work.State == v1beta1.WorkFailed:
		return ptr(failed(catalog.Conflict, false, fmt.Sprintf("The Video %q has failed", v.Name), map[string]string{"status": "failed"}))
	case v.Status.Revision == 0 || len(v.Status.Clips) == 0,
		j.Spec.Revision != nil && *j.Spec.Revision > v.Status.Revision:
		return ptr(wait(v1beta1.ReasonQueued, fmt.Sprintf("The clips and texts of the Video %q are not ready yet", v.Name)))
	case j.Spec.Revision != nil && *j.Spec.Revision < v.Status.Revision:
		return ptr(failed(catalog.Conflict, false, fmt.Sprintf("Revision %d of the Video %q is no longer current: it is at %d", *j.Spec.Revision, v.Name, v.Status.Revision),
			map[string]string{"field": "revision"}))
	case v.Status.WordsKey != "" && o.words == nil:
		return ptr(failed(catalog.InternalError, false, "The images of the captions are missing in the store", nil))
	}
	return decideMusic(o, wait)
}

// videoFilm returns the film of a Video: the speaker with the words of the hook, then the demos, joined by hard cuts.
// An avatar in picture-in-picture is an inset over the demos instead.
func videoFilm(v *v1beta1.Video, words *filmwords.Document) film {
	ratio, _ := catalog.AspectRatioByValue(v.Spec.AspectRatio)
	f := film{
		Timeline: timeline.Timeline{
			Version: timeline.Version,
			Canvas:  timeline.Canvas{Width: ratio.Width, Height: ratio.Height},
			FPS:     timeline.DefaultFPS,
			Audio:   timeline.Audio{Kind: timeline.NoAudio},
		},
		Inputs: map[string]string{},
	}
	names := map[string]string{} // of inputs, by blob key: a repeated clip is one file
	if words != nil {
		for i, w := range words.Spots {
			names[w.BlobKey] = cmp.Or(names[w.BlobKey], fmt.Sprintf("%s%d", wordInput, i+1))
		}
	}
	clips := 0
	var inset *timeline.Inset
	at := 0
	for i := range v.Status.Clips {
		c := &v.Status.Clips[i]
		name := names[c.BlobKey]
		if name == "" {
			clips++
			name = fmt.Sprintf("%s%d", clipInput, clips)
			names[c.BlobKey] = name
			f.Inputs[name] = c.BlobKey
		}
		footage := footageOf(c, name)
		if c.PictureInPicture {
			inset = insetOf(c, footage, insetBox(ratio, shownBefore(words, c.DurationMilliseconds)))
			continue
		}
		clip := timeline.Clip{
			Footage: &footage,
			// The ends of clips are rounded, not their lengths, so that speech stays in sync.
			Frames:     max(1, frames(millis(c.StartMilliseconds+c.DurationMilliseconds))-at),
			Motion:     timeline.Motion{Kind: timeline.Still},
			Transition: timeline.Transition{Kind: timeline.Cut},
		}
		clip.Spots = f.spots(words, names, at, clip.Frames)
		f.Timeline.Clips = append(f.Timeline.Clips, clip)
		at += clip.Frames
	}
	if s := v.Status.Speech; s != nil && s.BlobKey != "" {
		f.Inputs[speechInput] = s.BlobKey
		f.Timeline.Audio.Voices = []timeline.Voice{{Input: speechInput, At: frames(catalog.SpeechLead)}}
	}
	if inset != nil {
		f.show(*inset)
	}
	return f
}

// footageOf returns the part of a clip that is shown.
func footageOf(c *v1beta1.VideoClip, input string) timeline.Footage {
	start := frames(millis(c.SourceStartMilliseconds))
	f := timeline.Footage{
		Input: input, ContentType: contentTypeOf(c.BlobKey), Sound: c.Sound, Fit: timeline.Fit(c.Fit),
		Start: start, Frames: max(1, frames(millis(c.SourceStartMilliseconds+c.SourceMilliseconds))-start),
		Loop: millis(c.DurationMilliseconds-c.SourceMilliseconds) > holdAtMost,
	}
	if c.Role == v1beta1.ClipAvatar {
		focus := avatarFocus
		f.Focus = &focus
	}
	return f
}

// spots returns the words that are shown during a clip. The clip begins at frame at and has length frames.
func (f *film) spots(words *filmwords.Document, names map[string]string, at, length int) []timeline.Spot {
	if words == nil {
		return nil
	}
	var out []timeline.Spot
	for _, w := range words.Spots {
		from := max(frames(millis(w.FromMilliseconds))-at, 0)
		to := min(frames(millis(w.ToMilliseconds))-at, length)
		if from >= to {
			continue
		}
		name := names[w.BlobKey]
		f.Inputs[name] = w.BlobKey
		out = append(out, timeline.Spot{Layer: timeline.Layer{Input: name, X: w.X, Y: w.Y}, From: from, To: to})
	}
	return out
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// contentTypeOf returns the content type of a clip, from the extension of its blob key.
func contentTypeOf(blobKey string) string {
	for _, t := range catalog.VideoContentTypes {
		if strings.HasSuffix(blobKey, sniff.Extension(t)) {
			return t
		}
	}
	return sniff.MP4
}
