// SPDX-License-Identifier: Apache-2.0

package video

import (
	"cmp"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/kube/identity"
)

// Sources of speech, as recorded in the status.
const (
	speechService = voicing.Service
	speechPackage = voicing.Package
	speechClip    = "clip"
	speechNone    = "none"
)

// Estimated reading speed for words without speech: that of a calm reader, and slower for long words.
const (
	paceWord   = 180 * time.Millisecond
	paceLetter = 35 * time.Millisecond
	// paceRest is how long the last word stays visible.
	paceRest = 1200 * time.Millisecond
)

// pace returns words with estimated times, starting at 0. It is used when the hook is not spoken.
func pace(texts []string) []v1beta1.SpokenWord {
	at := time.Duration(0)
	out := make([]v1beta1.SpokenWord, 0, len(texts))
	for _, t := range texts {
		end := at + paceWord + time.Duration(len([]rune(t)))*paceLetter
		out = append(out, v1beta1.SpokenWord{Text: t, StartMilliseconds: at.Milliseconds(), EndMilliseconds: end.Milliseconds()})
		at = end
	}
	return out
}

// ours reports whether the hook is spoken by this system's speech. The clip is shown for as long as that speech takes.
func ours(s *v1beta1.Speech) bool { return s.Source == speechService || s.Source == speechPackage }

// lead returns when the speech begins, measured from the beginning of the film.
func lead(s *v1beta1.Speech) time.Duration {
	if ours(s) {
		return catalog.SpeechLead
	}
	return 0
}

// avatarTime returns how long the avatar is shown. Over speech of this system it is shown for the speech plus a lead
// and a tail. A clip with its own speech, or without any speech, is shown whole.
func avatarTime(s *v1beta1.Speech, clip time.Duration) time.Duration {
	spoken := time.Duration(s.DurationMilliseconds) * time.Millisecond
	shown := clip
	switch {
	case ours(s):
		shown = lead(s) + spoken + catalog.SpeechTail
		// A clip that restarts only for a moment would flash. Drop the rest after the last word instead.
		if over := shown % max(clip, 1); shown > clip && over <= catalog.SpeechTail {
			shown -= over
		}
	case s.Source == speechNone:
		shown = max(clip, spoken)
	}
	return min(max(shown, catalog.MinFilmClip), catalog.MaxVideoDuration)
}

// maxClips is the maximum number of clips in a status and a film.
const maxClips = 60

// compose returns when each clip is shown. With a full-screen avatar, the avatar is first and the demos follow. With
// picture in picture, the demos start at the beginning and the avatar is shown over them. The avatar is the first
// element in both cases.
func compose(v *v1beta1.Video, clips []source, s *v1beta1.Speech) []v1beta1.VideoClip {
	avatar, demos := clips[0], clips[1:]
	speaks := avatarTime(s, avatar.length())
	f := &sequence{}
	if v.Spec.AvatarLayout != v1beta1.AvatarPictureInPicture || len(demos) == 0 {
		f.add(avatar, speaks, s.Source == speechClip)
		f.addDemos(demos, v.Spec.LoopCount)
		return f.clips
	}
	f.addDemos(demos, v.Spec.LoopCount)
	f.extend(demos, speaks)
	inset := &sequence{}
	inset.add(avatar, min(speaks, f.end), s.Source == speechClip)
	inset.clips[0].PictureInPicture = true
	return append(inset.clips, f.clips...)
}

// sequence is a list of consecutive clips from the beginning of the film.
type sequence struct {
	clips []v1beta1.VideoClip
	end   time.Duration
}

// add appends a clip. It cuts the clip at the maximum length of a film, and omits a clip that would be too short.
func (f *sequence) add(c source, shown time.Duration, sound bool) {
	if shown = min(shown, catalog.MaxVideoDuration-f.end); shown < catalog.MinFilmClip {
		return
	}
	id, _ := identity.Of(c.asset)
	start, length := c.part()
	fit := ""
	if c.role == v1beta1.ClipProductDemo {
		fit = cmp.Or(c.demo.Fit, string(timeline.FitAuto))
	}
	f.clips = append(f.clips, v1beta1.VideoClip{
		Role: c.role, Asset: c.asset.Name, Library: c.library, MediaID: id, BlobKey: c.asset.Status.BlobKey,
		StartMilliseconds: f.end.Milliseconds(), DurationMilliseconds: shown.Milliseconds(),
		SourceStartMilliseconds: start.Milliseconds(), SourceMilliseconds: length.Milliseconds(),
		Fit: fit, Sound: sound && c.asset.Status.Probe.AudioCodec != "",
	})
	f.end += shown
}

// addDemos appends the demos in order, loops times.
func (f *sequence) addDemos(demos []source, loops int32) {
	for range max(1, loops) {
		for _, c := range demos {
			f.add(c, demoTime(c), true)
		}
	}
}

// extend repeats the demos, starting with the first one, until the sequence lasts at least as long as least. If the
// rest is too short for another clip, or the number of clips is at its limit, the last clip is shown longer.
func (f *sequence) extend(demos []source, least time.Duration) {
	for i := 0; f.end < least; i++ {
		rest := least - f.end
		if rest < catalog.MinFilmClip || len(f.clips) >= maxClips-1 {
			f.clips[len(f.clips)-1].DurationMilliseconds += rest.Milliseconds()
			f.end = least
			return
		}
		c := demos[i%len(demos)]
		f.add(c, min(demoTime(c), rest), true)
	}
}

// demoTime returns how long one showing of a demo takes.
func demoTime(c source) time.Duration {
	_, length := c.part()
	return min(max(length, catalog.MinFilmClip), catalog.MaxDemoDuration)
}
