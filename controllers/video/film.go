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

// Sources of speech, as the status names them.
const (
	speechService = voicing.Service
	speechPackage = voicing.Package
	speechClip    = "clip"
	speechNone    = "none"
)

// How fast words are read where nobody says them: as a calm reader does, and slower for long words.
const (
	paceWord   = 180 * time.Millisecond
	paceLetter = 35 * time.Millisecond
	// paceRest is how long the last word stands.
	paceRest = 1200 * time.Millisecond
)

// pace estimates when words would be said that nobody says, from the beginning.
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

// ours says that the hook is spoken by us: over the clip, which is shown for as long as that takes.
func ours(s *v1beta1.Speech) bool { return s.Source == speechService || s.Source == speechPackage }

// lead is when the words begin to be said, from the film's beginning.
func lead(s *v1beta1.Speech) time.Duration {
	if ours(s) {
		return catalog.SpeechLead
	}
	return 0
}

// avatarTime is for how long the avatar is shown: while it speaks, and a little longer. A clip that speaks for itself is shown
// whole, and so is one that nobody speaks over.
func avatarTime(s *v1beta1.Speech, clip time.Duration) time.Duration {
	spoken := time.Duration(s.DurationMilliseconds) * time.Millisecond
	shown := clip
	switch {
	case ours(s):
		shown = lead(s) + spoken + catalog.SpeechTail
		// A clip that begins anew for a moment only would flash: what is left after the last word is given up instead.
		if over := shown % max(clip, 1); shown > clip && over <= catalog.SpeechTail {
			shown -= over
		}
	case s.Source == speechNone:
		shown = max(clip, spoken)
	}
	return min(max(shown, catalog.MinFilmClip), catalog.MaxVideoDuration)
}

// maxClips is the most clips a status and a film can have.
const maxClips = 60

// compose says when each clip is shown. With a full-screen avatar, the avatar comes first and the demos follow. With picture in
// picture, the demos are shown from the beginning and the avatar over them. The avatar is the first of the clips either way.
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

// sequence is clips that follow one another from the film's beginning.
type sequence struct {
	clips []v1beta1.VideoClip
	end   time.Duration
}

// add appends a clip. It leaves out what would come after the longest film.
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

// extend plays the demos again, from the first one on, until the film lasts for at least a time. The last clip is shown for longer
// when the rest is too short for another clip, or when there are too many clips.
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

// demoTime is for how long a demo is shown at a time.
func demoTime(c source) time.Duration {
	_, length := c.part()
	return min(max(length, catalog.MinFilmClip), catalog.MaxDemoDuration)
}
