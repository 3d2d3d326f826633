// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf16"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Limits on media, in bytes. TikTok's documentation gives MB without a definition; these values satisfy both readings.
const (
	maxWhole   = 64_000_000
	partSize   = 10_000_000
	maxFilm    = 4 << 30
	maxParts   = 1000
	maxCaption = 2200
	maxTitle   = 90
	maxText    = 4000
	maxPhotos  = 35
	uploadPath = "/video/"
)

type source struct {
	Source string `json:"source"`
	Size   int64  `json:"video_size"`
	Chunk  int64  `json:"chunk_size"`
	Count  int64  `json:"total_chunk_count"`
	URL    string `json:"video_url"`
}

// settings are the options of a direct post, with TikTok's names.
type settings struct {
	Privacy      string `json:"privacy_level"`
	NoComment    bool   `json:"disable_comment"`
	NoDuet       bool   `json:"disable_duet"`
	NoStitch     bool   `json:"disable_stitch"`
	BrandContent bool   `json:"brand_content_toggle"`
	BrandOrganic bool   `json:"brand_organic_toggle"`
}

// creatorInfo returns the account's current posting options. Errors of posting caps are sent with status 200.
func (p *Platform) creatorInfo(w http.ResponseWriter, r *request) {
	p.mu.Lock()
	code, message := p.capped(r.account.Name)
	options, limit, off := p.audiences(r.account.Name), p.limits.MaxDuration, p.disabled[r.account.Name]
	p.mu.Unlock()
	if code != "" {
		refuse(w, http.StatusOK, code, message)
		return
	}
	ok(w, map[string]any{
		"creator_avatar_url": r.account.Avatar, "creator_username": r.account.Username, "creator_nickname": r.account.Display,
		"privacy_level_options": options, "comment_disabled": off.Comment, "duet_disabled": off.Duet, "stitch_disabled": off.Stitch,
		"max_video_post_duration_sec": int64(limit.Seconds()),
	})
}

// audiences returns the privacy levels that an account offers. The caller holds the lock.
func (p *Platform) audiences(account string) []string {
	if p.private[account] {
		return []string{"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"}
	}
	return []string{public, "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"}
}

// videoInit starts a direct post of a video.
func (p *Platform) videoInit(w http.ResponseWriter, r *request) {
	var in struct {
		Info *struct {
			Title string `json:"title"`
			settings
			AIGenerated bool  `json:"is_aigc"`
			CoverMillis int64 `json:"video_cover_timestamp_ms"`
		} `json:"post_info"`
		Source source `json:"source_info"`
	}
	if !r.read(w, &in) {
		return
	}
	if in.Info == nil {
		invalid(w, "post_info is missing.")
		return
	}
	if !fits(w, "title", in.Info.Title, maxCaption) || !p.mayPost(w, r.account.Name, in.Info.settings) {
		return
	}
	b := &publication{account: r.account.Name, kind: film, mode: direct, caption: in.Info.Title, settings: in.Info.settings}
	b.aiGenerated, b.coverMillis = in.Info.AIGenerated, max(in.Info.CoverMillis, 0)
	p.film(w, b, in.Source)
}

// inboxInit starts the upload of a video to the inbox.
func (p *Platform) inboxInit(w http.ResponseWriter, r *request) {
	var in struct {
		Source source `json:"source_info"`
	}
	if !r.read(w, &in) || !p.mayDraft(w, r.account.Name) {
		return
	}
	p.film(w, &publication{account: r.account.Name, kind: film, mode: draft}, in.Source)
}

// film opens an upload, or fetches the video.
func (p *Platform) film(w http.ResponseWriter, b *publication, s source) {
	switch s.Source {
	case "FILE_UPLOAD":
		if wrong := cut(s); wrong != "" {
			invalid(w, wrong)
			return
		}
		file, err := p.core.NewFile("video/mp4")
		if err != nil {
			refuse(w, http.StatusInternalServerError, "internal_error", "Please try again later.")
			return
		}
		b.file, b.size, b.chunk, b.count = file, s.Size, s.Chunk, s.Count
		b.uploadID, b.secret = sandbox.Digits(19), sandbox.Letters(32)
		p.begin(b)
		q := url.Values{"upload_id": {b.uploadID}, "upload_token": {b.secret}}
		ok(w, map[string]any{"publish_id": b.id, "upload_url": p.core.URL(name, uploadPath+"?"+q.Encode())})
	case "PULL_FROM_URL":
		if !p.verified(w, s.URL) {
			return
		}
		b.pulled = true
		p.begin(b)
		p.fetchFilm(b, s.URL)
		ok(w, map[string]any{"publish_id": b.id})
	default:
		invalid(w, "source has to be FILE_UPLOAD or PULL_FROM_URL.")
	}
}

// cut checks the chunk plan of a video and returns why TikTok refuses it, or an empty text. Since August 2026 TikTok
// refuses plans of several parts that its documentation permits. Only the part size of the documentation's own example
// is known to be accepted.
func cut(s source) string {
	switch {
	case s.Size <= 0 || s.Size > maxFilm:
		return "The video size is invalid."
	case s.Chunk <= 0 || s.Count <= 0 || s.Count > maxParts:
		return "The total chunk count is invalid."
	case s.Count == 1 && (s.Chunk != s.Size || s.Size > maxWhole), s.Count > 1 && s.Chunk != partSize:
		return "The chunk size is invalid."
	case s.Size/s.Chunk != s.Count:
		return "The total chunk count is invalid."
	}
	return ""
}

// contentInit starts a photo post. The photos are fetched from the given URLs.
func (p *Platform) contentInit(w http.ResponseWriter, r *request) {
	var in struct {
		MediaType string `json:"media_type"`
		Mode      string `json:"post_mode"`
		Info      struct {
			Title       string `json:"title"`
			Description string `json:"description"`
			settings
		} `json:"post_info"`
		AIGenerated bool `json:"is_aigc"`
		Source      struct {
			Source string   `json:"source"`
			Cover  *int     `json:"photo_cover_index"`
			Images []string `json:"photo_images"`
		} `json:"source_info"`
	}
	if !r.read(w, &in) {
		return
	}
	images := in.Source.Images
	switch {
	case in.MediaType != "PHOTO":
		invalid(w, "media_type has to be PHOTO.")
	case in.Mode != "DIRECT_POST" && in.Mode != "MEDIA_UPLOAD":
		invalid(w, "post_mode has to be DIRECT_POST or MEDIA_UPLOAD.")
	case in.Source.Source != "PULL_FROM_URL":
		invalid(w, "source has to be PULL_FROM_URL.")
	case len(images) == 0 || len(images) > maxPhotos:
		invalid(w, fmt.Sprintf("photo_images has to have 1 to %d addresses.", maxPhotos))
	case in.Source.Cover == nil || *in.Source.Cover < 0 || *in.Source.Cover >= len(images):
		invalid(w, "photo_cover_index is invalid.")
	case !fits(w, "title", in.Info.Title, maxTitle) || !fits(w, "description", in.Info.Description, maxText):
	case in.Mode == "DIRECT_POST" && !p.allowed(w, r, scopePublish), in.Mode == "MEDIA_UPLOAD" && !p.allowed(w, r, scopeUpload):
	case in.Mode == "DIRECT_POST" && !p.mayPost(w, r.account.Name, in.Info.settings):
	case in.Mode == "MEDIA_UPLOAD" && !p.mayDraft(w, r.account.Name):
	case slices.ContainsFunc(images, func(u string) bool { return !p.verified(w, u) }):
	default:
		b := &publication{account: r.account.Name, kind: photos, mode: draft, pulled: true, title: in.Info.Title, caption: in.Info.Description}
		if in.Mode == "DIRECT_POST" {
			b.mode, b.settings, b.aiGenerated = direct, in.Info.settings, in.AIGenerated
		}
		b.coverPhoto = *in.Source.Cover
		p.begin(b)
		p.fetchPhotos(b, images)
		ok(w, map[string]any{"publish_id": b.id})
	}
}

func (p *Platform) allowed(w http.ResponseWriter, r *request, scope string) bool {
	if !r.token.Allows(scope) {
		refuse(w, http.StatusUnauthorized, "scope_not_authorized", "The user did not authorize the scope required for completing this request.")
		return false
	}
	return true
}

// mayPost reports whether an account may post to an audience now. It writes the error if not.
func (p *Platform) mayPost(w http.ResponseWriter, account string, s settings) bool {
	p.mu.Lock()
	options, own := p.audiences(account), p.private[account]
	unaudited := p.limits.Unaudited
	code, message := p.capped(account)
	p.mu.Unlock()
	switch {
	case s.Privacy == "":
		invalid(w, "privacy_level is missing.")
	case !slices.Contains(options, s.Privacy):
		refuse(w, http.StatusForbidden, "privacy_level_option_mismatch", "The privacy level is not one of the creator's options.")
	case s.BrandContent && s.Privacy == "SELF_ONLY":
		invalid(w, "Branded content cannot be private.")
	case unaudited && (s.Privacy != "SELF_ONLY" || !own):
		refuse(w, http.StatusForbidden, "unaudited_client_can_only_post_to_private_accounts", "Unaudited clients can only post to a private account.")
	case code != "":
		refuse(w, http.StatusForbidden, code, message)
	default:
		return true
	}
	return false
}

func (p *Platform) mayDraft(w http.ResponseWriter, account string) bool {
	p.mu.Lock()
	full := p.limits.Drafts > 0 && p.pending(account) >= p.limits.Drafts
	p.mu.Unlock()
	if full {
		refuse(w, http.StatusForbidden, "spam_risk_too_many_pending_share", "There are too many drafts in the creator's inbox.")
		return false
	}
	return true
}

// fits reports whether a text is within the limit, in UTF-16 code units. It writes the error if not.
func fits(w http.ResponseWriter, field, text string, limit int) bool {
	n := len(utf16.Encode([]rune(text)))
	if n > limit {
		refuse(w, http.StatusBadRequest, "invalid_param", fmt.Sprintf("%s has %d UTF-16 runes, at most %d are allowed.", field, n, limit))
	}
	return n <= limit
}
