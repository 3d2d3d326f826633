// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// note is the state that Prepare passes to later calls. The upload address is a secret.
type note struct {
	Kind string `json:"kind"`
	Mode string `json:"mode"`
	// Privacy is the audience of the post and Username the account's handle, as read during preparation. Both are empty
	// for drafts.
	Privacy  string `json:"privacy,omitempty"`
	Username string `json:"username,omitempty"`
	// Settings is the fingerprint of the settings that the preparation used.
	Settings string `json:"settings,omitempty"`
	// NoComments reports whether a photo set permits no comments: the account disables them, or the author does.
	NoComments bool `json:"no_comments,omitempty"`
	// The remaining fields belong to a video upload.
	PublishID string    `json:"publish_id,omitempty"`
	UploadURL string    `json:"upload_url,omitempty"`
	Plan      plan      `json:"plan,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

func (n *note) bytes() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings, numbers and times can always be encoded
	}
	return b
}

// readNote decodes the note of a draft; nil if there is none. A note of another draft is an Expired error.
func readNote(b []byte, d publish.Draft) (*note, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var n note
	if err := json.Unmarshal(b, &n); err != nil {
		return nil, expired(err)
	}
	if n.Kind != d.Kind || n.Mode != d.Mode || (n.PublishID != "" && (d.Video == nil || n.Plan.Total != d.Video.Bytes)) {
		return nil, expired(errors.New("the note is of something else"))
	}
	return &n, nil
}

// fingerprint returns a digest of the settings that are sent with a draft, or an empty text if there are none.
func fingerprint(d publish.Draft) string {
	var c struct {
		Settings *v1beta1.TikTokSettings
		Offset   *time.Duration
		Photo    *int
	}
	c.Settings = d.Settings.TikTok
	if d.Cover != nil {
		c.Offset, c.Photo = d.Cover.Offset, d.Cover.Photo
	}
	if c.Settings == nil && c.Offset == nil && c.Photo == nil {
		return ""
	}
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings, numbers and booleans can always be encoded
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// expired returns the error of a preparation that can no longer be used.
func expired(err error) *publish.Error {
	return &publish.Error{Kind: publish.Expired, Safe: "The preparation for TikTok is no longer valid and is repeated.", Err: err}
}

// handle identifies an accepted post. It holds no secrets.
type handle struct {
	PublishID string `json:"publish_id,omitempty"`
	// PostID is set if the post was found without a publish id.
	PostID   string `json:"post_id,omitempty"`
	Privacy  string `json:"privacy,omitempty"`
	Username string `json:"username,omitempty"`
	// SentAt is in Unix seconds.
	SentAt int64 `json:"sent_at"`
}

func (h handle) String() string {
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return string(b)
}

func readHandle(s string) (handle, error) {
	var h handle
	if err := json.Unmarshal([]byte(s), &h); err != nil || (h.PublishID == "" && h.PostID == "") {
		return h, publish.ErrCannotTell
	}
	return h, nil
}
