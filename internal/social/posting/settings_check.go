// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// CoverImages returns the IDs of the media items that settings choose as covers, each once.
func CoverImages(defaults *v1beta1.PostSettings, own ...v1beta1.PostSettings) []int64 {
	ids := map[int64]bool{}
	if defaults != nil {
		own = append(slices.Clone(own), *defaults)
	}
	for _, s := range own {
		if s.Cover != nil && s.Cover.MediaID != nil {
			ids[*s.Cover.MediaID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// check validates the settings of one target against the rules of its platform.
type check struct {
	c      *Content
	ask    Ask
	rule   catalog.PlatformRule
	v      *Verdict
	issues []Issue
}

// checkSettings returns the issues of the effective settings of a verdict. It resolves the cover into the verdict's
// media and removes settings that do not apply to the post. Such a setting is an error if the author chose it for this
// post, and a warning if it comes from the brand's defaults.
func checkSettings(c *Content, ask Ask, rule catalog.PlatformRule, v *Verdict) []Issue {
	k := &check{c: c, ask: ask, rule: rule, v: v}
	k.otherPlatforms()
	if v.Effective == nil {
		return append(k.issues, k.creatorLimits()...)
	}
	switch rule.Platform {
	case catalog.TikTok:
		k.tiktok(v.Effective.TikTok)
	case catalog.YouTube:
		k.youtube(v.Effective.YouTube)
	case catalog.Instagram:
		k.instagram(v.Effective.Instagram)
	case catalog.LinkedIn:
		k.linkedin(v.Effective.LinkedIn)
	}
	k.cover()
	k.firstComment()
	if *v.Effective == (v1beta1.PostSettings{}) {
		v.Effective = nil
	}
	return append(k.issues, k.creatorLimits()...)
}

func (k *check) name() string { return Name(k.v.Platform) }

// field returns the path of a setting in the request, or in the brand's defaults.
func (k *check) field(own bool, name string) string {
	if own {
		return ownPath(&k.v.Target) + name
	}
	return "posting_defaults." + name
}

// ownPath returns the path that begins those of the own settings of a target in the request.
func ownPath(t *Target) string { return fmt.Sprintf("platform_customizations.%d.", t.ID()) }

func (k *check) error(own bool, name, message string, more Details) {
	k.issues = append(k.issues, field(k.field(own, name), message, more))
}

func (k *check) warn(own bool, name, message string) {
	i := field(k.field(own, name), message, nil)
	i.Warning = true
	k.issues = append(k.issues, i)
}

// unfit reports a setting that does not apply to the post. It is an error only if it was chosen for this post.
func (k *check) unfit(own bool, name, message string, more Details) {
	i := field(k.field(own, name), message, more)
	i.Warning = !own
	k.issues = append(k.issues, i)
}

// otherPlatforms warns of the post's own settings for platforms other than the account's.
func (k *check) otherPlatforms() {
	s := k.v.Target.Settings
	for _, other := range []struct {
		platform string
		given    bool
	}{
		{catalog.TikTok, s.TikTok != nil}, {catalog.YouTube, s.YouTube != nil}, {catalog.Instagram, s.Instagram != nil}, {catalog.LinkedIn, s.LinkedIn != nil},
	} {
		if other.given && other.platform != k.rule.Platform {
			k.warn(true, other.platform, fmt.Sprintf("The account is on %s: settings of %s are ignored.", k.name(), Name(v1beta1.Platform(other.platform))))
		}
	}
}

// creatorLimits returns an issue if the post exceeds the platform's limits for direct posts of the account.
func (k *check) creatorLimits() []Issue {
	creator := k.v.Account.Status.Creator
	if creator == nil || creator.MaxVideoSeconds == 0 || k.ask.Mode != catalog.PostDirect || k.v.Media.Kind != catalog.MediaVideo {
		return nil
	}
	if k.v.Media.Milliseconds() <= int64(creator.MaxVideoSeconds)*1000 {
		return nil
	}
	return []Issue{issue(catalog.ShortNotPostable, fmt.Sprintf("The video has %d seconds; %s accepts %d of this account.",
		(k.v.Media.Milliseconds()+999)/1000, k.name(), creator.MaxVideoSeconds),
		Details{"platform": k.rule.Platform, "max_video_seconds": creator.MaxVideoSeconds})}
}

func (k *check) tiktok(s *v1beta1.TikTokSettings) {
	own := k.v.Target.Settings.TikTok
	if k.ask.Mode == catalog.PostDraft {
		if own != nil {
			k.warn(true, "tiktok", "A draft is finished in TikTok's app, which requests these settings: they are ignored.")
		}
		k.v.Effective.TikTok = nil
		return
	}
	creator := k.v.Account.Status.Creator
	if s == nil {
		return
	}
	ownPrivacy := own != nil && own.PrivacyLevel != ""
	only := s.PrivacyLevel
	if creator != nil && len(creator.PrivacyLevels) > 0 {
		if s.PrivacyLevel != "" && !slices.Contains(creator.PrivacyLevels, string(s.PrivacyLevel)) {
			k.error(ownPrivacy, "tiktok.privacy_level", "TikTok does not offer this audience to the account.",
				Details{"allowed": slices.Clone(creator.PrivacyLevels)})
		}
		if s.PrivacyLevel == "" && len(creator.PrivacyLevels) == 1 {
			only = v1beta1.TikTokPrivacy(creator.PrivacyLevels[0])
		}
	}
	if s.Commercial != nil && s.Commercial.BrandedContent && only == catalog.TikTokSelfOnly {
		k.error(own != nil && own.Commercial != nil, "tiktok.commercial.branded_content", "Branded content cannot be private (SELF_ONLY).", nil)
	}
	if creator == nil {
		return
	}
	for _, i := range []struct {
		name         string
		allow, owned *bool
		disabled     bool
	}{
		{"allow_comment", s.AllowComment, ptr.Deref(own, v1beta1.TikTokSettings{}).AllowComment, creator.CommentDisabled},
		{"allow_duet", s.AllowDuet, ptr.Deref(own, v1beta1.TikTokSettings{}).AllowDuet, creator.DuetDisabled},
		{"allow_stitch", s.AllowStitch, ptr.Deref(own, v1beta1.TikTokSettings{}).AllowStitch, creator.StitchDisabled},
	} {
		if i.disabled && ptr.Deref(i.allow, false) {
			k.warn(i.owned != nil, "tiktok."+i.name, "The account disables this for all its posts: TikTok keeps it off.")
		}
	}
}

func (k *check) youtube(s *v1beta1.YouTubeSettings) {
	if s == nil {
		return
	}
	own := ptr.Deref(k.v.Target.Settings.YouTube, v1beta1.YouTubeSettings{})
	if k.ask.Mode == catalog.PostDraft && own.Privacy != "" && own.Privacy != catalog.YouTubePrivate {
		k.warn(true, "youtube.privacy", "A draft is uploaded as a private video: this setting is ignored.")
	}
	if own.NotifySubscribers == nil || !*own.NotifySubscribers {
		return
	}
	switch {
	case ptr.Deref(s.MadeForKids, false):
		k.warn(true, "youtube.notify_subscribers", "YouTube does not notify subscribers of videos made for kids.")
	case s.Privacy != "" && s.Privacy != "public":
		k.warn(true, "youtube.notify_subscribers", "YouTube notifies subscribers of public videos only.")
	}
}

func (k *check) instagram(s *v1beta1.InstagramSettings) {
	if s == nil {
		return
	}
	given := k.v.Target.Settings.Instagram
	switch media := k.v.Media; {
	case media.Kind == catalog.MediaPhotoSet:
		if given != nil {
			k.warn(true, "instagram", "These settings are for reels: they are ignored for a photo set.")
		}
		k.v.Effective.Instagram = nil
	case media.Kind == catalog.MediaVideo && s.CoverOffset() != nil && *s.CoverOffset() >= media.Milliseconds():
		own := given != nil && given.CoverOffset() != nil
		k.unfit(own, "instagram.cover_offset_ms", "The time is beyond the end of the video.", Details{"max": media.Milliseconds() - 1})
		s.SetCoverOffsetOf(&v1beta1.InstagramSettings{})
	}
}

func (k *check) linkedin(s *v1beta1.LinkedInSettings) {
	if s != nil && s.Visibility == catalog.LinkedInConnections && k.v.Account.Status.AccountType == catalog.LinkedInPage {
		own := k.v.Target.Settings.LinkedIn
		k.unfit(own != nil && own.Visibility != "", "linkedin.visibility", "A page posts to the public only: it has no connections.", nil)
		k.v.Effective.LinkedIn = nil
	}
}

// cover resolves the chosen cover into the media of the verdict.
func (k *check) cover() {
	chosen, own := k.v.Effective.Cover, k.v.Target.Settings.Cover != nil
	if chosen == nil || k.v.Media.Kind == "" {
		return
	}
	if k.rule.Platform == catalog.TikTok && k.ask.Mode == catalog.PostDraft {
		if own {
			k.warn(true, "cover", "A draft is finished in TikTok's app, where its cover is chosen: it is ignored.")
		}
		k.v.Effective.Cover = nil
		return
	}
	media, name, why, more := k.resolve(chosen)
	if why != "" {
		k.unfit(own, "cover."+name, why, more)
		k.v.Effective.Cover = nil
		return
	}
	k.v.Media.Cover = media
}

// resolve returns the cover as it is sent, or the field that cannot be used and why.
func (k *check) resolve(chosen *v1beta1.PostCover) (cover *v1beta1.PostMediaCover, member, why string, more Details) {
	video := k.v.Media.Kind == catalog.MediaVideo
	switch {
	case chosen.Slide != nil:
		cover, why, more = k.coverSlide(int(*chosen.Slide), video)
		return cover, "slide", why, more
	case !video:
		if chosen.MediaID != nil {
			return nil, "media_id", "The cover of a photo set is one of its slides.", nil
		}
		return nil, "offset_ms", "The cover of a photo set is one of its slides.", nil
	case chosen.Offset() != nil:
		switch at := *chosen.Offset(); {
		case !k.rule.Cover.Offset:
			return nil, "offset_ms", k.name() + " accepts an image as cover: choose slide or media_id.", nil
		case at >= k.v.Media.Milliseconds():
			return nil, "offset_ms", "The time is beyond the end of the video.", Details{"max": k.v.Media.Milliseconds() - 1}
		default:
			return v1beta1.VideoCoverAt(at), "", "", nil
		}
	case chosen.MediaID == nil:
		return nil, "slide", "A cover must have exactly one of slide, offset_ms and media_id.", nil
	}
	image := k.ask.Images[*chosen.MediaID]
	switch {
	case !k.rule.Cover.Image:
		return nil, "media_id", k.name() + " accepts a frame of the video as cover: choose slide or offset_ms.", nil
	case image == nil:
		return nil, "media_id", "The brand has no media item with this id.", nil
	case image.Status.Probe != nil && image.Status.Probe.Kind != "image":
		return nil, "media_id", "The media item is not an image.", nil
	case !image.ReadyPicture():
		return nil, "media_id", "The image is not ready.", nil
	}
	return &v1beta1.PostMediaCover{ImageKey: image.Status.BlobKey}, "", "", nil
}

func (k *check) coverSlide(n int, video bool) (cover *v1beta1.PostMediaCover, why string, more Details) {
	switch slides := len(k.c.Photos); {
	case slides == 0:
		return nil, "The short has no slides: choose offset_ms or media_id.", nil
	case n > slides:
		return nil, fmt.Sprintf("The short has %d slides.", slides), Details{"max": slides}
	case !video && k.rule.Cover.Photo:
		return &v1beta1.PostMediaCover{Photo: ptr.To(int32(n - 1))}, "", nil
	case !video && n == 1:
		return nil, "", nil // the first photo is the cover by default
	case !video:
		return nil, k.name() + " shows the first photo of a set as its cover.", Details{"max": 1}
	case !k.rule.Cover.Offset:
		return &v1beta1.PostMediaCover{ImageKey: k.c.Photos[n-1].Key}, "", nil
	case n > len(k.c.SlideMillis):
		return nil, "The times of the slides are not known for this video: render it again, or choose offset_ms.", nil
	}
	return v1beta1.VideoCoverAt(k.c.SlideMillis[n-1]), "", nil
}

// firstComment validates the comment that is written once the post is public.
func (k *check) firstComment() {
	s := k.v.Effective
	if s.FirstComment == nil {
		return
	}
	own := k.v.Target.Settings.FirstComment != nil
	why, more := k.noComment(*s.FirstComment)
	if why == "" {
		return
	}
	k.unfit(own, "first_comment", why, more)
	s.FirstComment = nil
}

func (k *check) noComment(text string) (why string, more Details) {
	a, y := k.v.Account, ptr.Deref(k.v.Effective.YouTube, v1beta1.YouTubeSettings{})
	switch n := Measure(text, k.rule.CommentUnit); {
	case k.rule.CommentMax == 0:
		return k.name() + " has no API for comments.", nil
	case strings.TrimSpace(text) == "":
		return "The comment has no text.", nil
	case n > k.rule.CommentMax:
		return fmt.Sprintf("The comment is over %s's limit of %d.", k.name(), k.rule.CommentMax),
			Details{"max": k.rule.CommentMax, "length": n, "unit": k.rule.CommentUnit}
	case k.ask.Mode == catalog.PostDraft:
		return "A draft is not public: it accepts no comments.", nil
	case y.Privacy == catalog.YouTubePrivate:
		return "A private video accepts no comments.", nil
	case ptr.Deref(y.MadeForKids, false):
		return "YouTube accepts no comments on videos made for kids.", nil
	case len(a.Status.MissingCommentScopes) > 0:
		return "The account's connection does not cover comments: reconnect it and allow them.", Details{"missing_scopes": a.Status.MissingCommentScopes}
	}
	return "", nil
}
