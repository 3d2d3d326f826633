// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// envelope is the shape of every response except those of OAuth and uploads. A response is a success if its code is ok,
// regardless of the status.
type envelope struct {
	Data  json.RawMessage `json:"data"`
	Error *apiError       `json:"error"`
}

type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

// tokenAnswer is the flat response of OAuth, for success and failure.
type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"` // seconds
	OpenID           string `json:"open_id"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn int64  `json:"refresh_expires_in"` // seconds
	Scope            string `json:"scope"`              // comma-separated
	Error            string `json:"error"`
	LogID            string `json:"log_id"`
}

type userAnswer struct {
	User struct {
		OpenID      string `json:"open_id"`
		DisplayName string `json:"display_name"`
		AvatarURL   string `json:"avatar_url"`
		Username    string `json:"username"`
		ProfileLink string `json:"profile_deep_link"`
		// Followers, and public Videos; absent if not requested.
		Followers *int64 `json:"follower_count"`
		Videos    *int64 `json:"video_count"`
	} `json:"user"`
}

// creator holds what an account may post now.
type creator struct {
	Username        string   `json:"creator_username"`
	Nickname        string   `json:"creator_nickname"`
	AvatarURL       string   `json:"creator_avatar_url"`
	PrivacyOptions  []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	MaxSeconds      int64    `json:"max_video_post_duration_sec"`
}

type videoInit struct {
	// PostInfo is absent for drafts: their text is written in the app.
	PostInfo   *videoInfo   `json:"post_info,omitempty"`
	SourceInfo uploadSource `json:"source_info"`
}

type videoInfo struct {
	Title          string `json:"title"`
	PrivacyLevel   string `json:"privacy_level"`
	DisableDuet    bool   `json:"disable_duet"`
	DisableComment bool   `json:"disable_comment"`
	DisableStitch  bool   `json:"disable_stitch"`
	BrandContent   bool   `json:"brand_content_toggle"`
	BrandOrganic   bool   `json:"brand_organic_toggle"`
	AIGenerated    bool   `json:"is_aigc"`
	// CoverMillis is the moment that becomes the cover. Without it, TikTok shows the first frame.
	CoverMillis *int64 `json:"video_cover_timestamp_ms,omitempty"`
}

type uploadSource struct {
	Source     string `json:"source"`
	VideoSize  int64  `json:"video_size"`
	ChunkSize  int64  `json:"chunk_size"`
	ChunkCount int64  `json:"total_chunk_count"`
}

type photoInit struct {
	MediaType string `json:"media_type"`
	PostMode  string `json:"post_mode"`
	// AIGenerated applies to direct posts only. TikTok documents it here, not in post_info.
	AIGenerated bool        `json:"is_aigc,omitempty"`
	PostInfo    photoInfo   `json:"post_info"`
	SourceInfo  photoSource `json:"source_info"`
}

// photoInfo holds the texts and, for direct posts only, the other fields.
type photoInfo struct {
	Title          string `json:"title"`
	Description    string `json:"description"`
	PrivacyLevel   string `json:"privacy_level,omitempty"`
	DisableComment *bool  `json:"disable_comment,omitempty"`
	AutoAddMusic   *bool  `json:"auto_add_music,omitempty"`
	BrandContent   *bool  `json:"brand_content_toggle,omitempty"`
	BrandOrganic   *bool  `json:"brand_organic_toggle,omitempty"`
}

type photoSource struct {
	Source string   `json:"source"`
	Cover  int      `json:"photo_cover_index"`
	Images []string `json:"photo_images"`
}

type initAnswer struct {
	PublishID string `json:"publish_id"`
	UploadURL string `json:"upload_url"`
}

type publishID struct {
	PublishID string `json:"publish_id"`
}

// Statuses of a publish id.
const (
	statusUpload   = "PROCESSING_UPLOAD"
	statusDownload = "PROCESSING_DOWNLOAD"
	statusInbox    = "SEND_TO_USER_INBOX"
	statusComplete = "PUBLISH_COMPLETE"
	statusFailed   = "FAILED"
)

type statusAnswer struct {
	Status     string `json:"status"`
	FailReason string `json:"fail_reason"`
	// Uploaded is absent if TikTok does not report it.
	Uploaded *int64 `json:"uploaded_bytes"`
	// Posts are the posts of the publish id that are public and passed moderation. TikTok misspells the name;
	// PostsRight covers a future correction.
	Posts      idList `json:"publicaly_available_post_id"` //nolint:misspell // TikTok spells it so
	PostsRight idList `json:"publicly_available_post_id"`
}

// post returns the id of the first public post, or an empty text if there is none.
func (s *statusAnswer) post() string {
	for _, id := range append(s.Posts, s.PostsRight...) {
		return id
	}
	return ""
}

// idList is a list of ids. They are numbers larger than a float64 represents exactly, and may also be strings.
type idList []string

func (l *idList) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var items []any
	if err := d.Decode(&items); err != nil {
		return err
	}
	*l = nil
	for _, item := range items {
		var s string
		switch v := item.(type) {
		case json.Number:
			s = v.String()
		case string:
			s = v
		}
		if _, err := strconv.ParseUint(s, 10, 64); err != nil {
			return errors.New("a post id is not a whole number")
		}
		*l = append(*l, s)
	}
	return nil
}

type videoQuery struct {
	Filters struct {
		VideoIDs []string `json:"video_ids"`
	} `json:"filters"`
}

type videoList struct {
	MaxCount int   `json:"max_count"`
	Cursor   int64 `json:"cursor,omitempty"` // Unix milliseconds: only posts before this time
}

// video is a public post; photo sets are included. Numbers are absent if not requested.
type video struct {
	ID          string  `json:"id"`
	CreateTime  int64   `json:"create_time"` // Unix seconds
	ShareURL    string  `json:"share_url"`
	CoverURL    string  `json:"cover_image_url"` // valid for six hours
	Title       string  `json:"title"`           // truncated to 150 characters, like the description
	Description string  `json:"video_description"`
	Duration    float64 `json:"duration"` // seconds
	Views       *int64  `json:"view_count"`
	Likes       *int64  `json:"like_count"`
	Comments    *int64  `json:"comment_count"`
	Shares      *int64  `json:"share_count"`
}

type videosAnswer struct {
	Videos  []video `json:"videos"`
	Cursor  int64   `json:"cursor"` // Unix milliseconds
	HasMore bool    `json:"has_more"`
}
