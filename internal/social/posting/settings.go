// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Effective returns the settings of a post on a platform: its own settings, completed field by field by the brand's
// defaults. It leaves out settings of other platforms and defaults that the platform does not use. It returns nil when
// nothing is set. The result shares no memory with its arguments.
func Effective(own v1beta1.PostSettings, defaults *v1beta1.PostSettings, platform v1beta1.Platform) *v1beta1.PostSettings {
	d := v1beta1.PostSettings{}
	if defaults != nil {
		d = *defaults.DeepCopy()
	}
	out := *own.DeepCopy()
	switch string(platform) {
	case catalog.TikTok:
		out.TikTok = completed(out.TikTok, d.TikTok, completeTikTok)
		out.YouTube, out.Instagram, out.LinkedIn = nil, nil, nil
	case catalog.YouTube:
		out.YouTube = completed(out.YouTube, d.YouTube, completeYouTube)
		out.TikTok, out.Instagram, out.LinkedIn = nil, nil, nil
	case catalog.Instagram:
		out.Instagram = completed(out.Instagram, d.Instagram, completeInstagram)
		out.TikTok, out.YouTube, out.LinkedIn = nil, nil, nil
	case catalog.LinkedIn:
		out.LinkedIn = completed(out.LinkedIn, d.LinkedIn, func(s, d *v1beta1.LinkedInSettings) { fill(&s.Visibility, d.Visibility) })
		out.TikTok, out.YouTube, out.Instagram = nil, nil, nil
	}
	out.Cover = absent(out.Cover, d.Cover)
	if rule, _ := catalog.RuleOf(string(platform)); rule.CommentMax > 0 {
		out.FirstComment = absent(out.FirstComment, d.FirstComment)
	}
	if out.FirstComment != nil && *out.FirstComment == "" {
		out.FirstComment = nil
	}
	if out == (v1beta1.PostSettings{}) {
		return nil
	}
	return &out
}

func completeTikTok(s, d *v1beta1.TikTokSettings) {
	fill(&s.PrivacyLevel, d.PrivacyLevel)
	s.AllowComment = absent(s.AllowComment, d.AllowComment)
	s.AllowDuet = absent(s.AllowDuet, d.AllowDuet)
	s.AllowStitch = absent(s.AllowStitch, d.AllowStitch)
	s.Commercial = absent(s.Commercial, d.Commercial)
	s.AIGenerated = absent(s.AIGenerated, d.AIGenerated)
}

func completeYouTube(s, d *v1beta1.YouTubeSettings) {
	fill(&s.Privacy, d.Privacy)
	s.NotifySubscribers = absent(s.NotifySubscribers, d.NotifySubscribers)
	s.MadeForKids = absent(s.MadeForKids, d.MadeForKids)
	s.SyntheticMedia = absent(s.SyntheticMedia, d.SyntheticMedia)
	fill(&s.Category, d.Category)
}

func completeInstagram(s, d *v1beta1.InstagramSettings) {
	s.ShareToFeed = absent(s.ShareToFeed, d.ShareToFeed)
	if s.CoverOffset() == nil {
		s.SetCoverOffsetOf(d)
	}
}

// completed returns own completed by defaults; nil when neither sets anything.
func completed[T comparable](own, defaults *T, complete func(own, defaults *T)) *T {
	var zero T
	switch {
	case own == nil:
		own = defaults
	case defaults != nil:
		complete(own, defaults)
	}
	if own == nil || *own == zero {
		return nil
	}
	return own
}

// absent returns own, or defaults if own is nil.
func absent[T any](own, defaults *T) *T {
	if own == nil {
		return defaults
	}
	return own
}

func fill[T comparable](own *T, defaults T) {
	var zero T
	if *own == zero {
		*own = defaults
	}
}
