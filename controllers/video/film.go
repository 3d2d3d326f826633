// SPDX-License-Identifier: Apache-2.0

package video

import (
	"time"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/identity"
	"github.com/reelops/reelops/internal/voicing"
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
func pace(texts []string) []v1alpha1.SpokenWord {
	at := time.Duration(0)
	out := make([]v1alpha1.SpokenWord, 0, len(texts))
	for _, t := range texts {
		end := at + paceWord + time.Duration(len([]rune(t)))*paceLetter
		out = append(out, v1alpha1.SpokenWord{Text: t, StartMilliseconds: at.Milliseconds(), EndMilliseconds: end.Milliseconds()})
		at = end
	}
	return out
}

// ours says that the hook is spoken by us: over the clip, which is shown for as long as that takes.
func ours(s *v1alpha1.Speech) bool { return s.Source == speechService || s.Source == speechPackage }

// lead is when the words begin to be said, from the film's beginning.
func lead(s *v1alpha1.Speech) time.Duration {
	if ours(s) {
		return catalog.SpeechLead
	}
	return 0
}

// avatarTime is for how long the avatar is shown: while it speaks, and a little longer. A clip that speaks for itself is shown
// whole, and so is one that nobody speaks over.
func avatarTime(s *v1alpha1.Speech, clip time.Duration) time.Duration {
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

// compose says when each clip is shown: the avatar, then the demos in order, as often as is asked for, one after the other. What
// would come after the longest film is left out.
func compose(v *v1alpha1.Video, clips []source, s *v1alpha1.Speech) []v1alpha1.VideoClip {
	var out []v1alpha1.VideoClip
	at := time.Duration(0)
	add := func(c source, shown time.Duration, sound bool) {
		shown = min(shown, catalog.MaxVideoDuration-at)
		if shown < catalog.MinFilmClip {
			return
		}
		id, _ := identity.Of(c.asset)
		p := c.asset.Status.Probe
		out = append(out, v1alpha1.VideoClip{
			Role: c.role, Asset: c.asset.Name, Library: c.library, MediaID: id, BlobKey: c.asset.Status.BlobKey,
			StartMilliseconds: at.Milliseconds(), DurationMilliseconds: shown.Milliseconds(), SourceMilliseconds: p.DurationMilliseconds,
			Sound: sound && p.AudioCodec != "",
		})
		at += shown
	}
	add(clips[0], avatarTime(s, clipTime(clips[0])), s.Source == speechClip)
	for range max(1, v.Spec.LoopCount) {
		for _, c := range clips[1:] {
			add(c, min(max(clipTime(c), catalog.MinFilmClip), catalog.MaxDemoDuration), true)
		}
	}
	return out
}

func clipTime(c source) time.Duration {
	return time.Duration(c.asset.Status.Probe.DurationMilliseconds) * time.Millisecond
}
