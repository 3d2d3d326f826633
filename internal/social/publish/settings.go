// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"time"
)

// Cover is the cover of a draft. Exactly one of its fields is set for a video; a photo set uses Photo alone.
type Cover struct {
	// Offset is the moment of the video that becomes its cover.
	Offset *time.Duration
	// Photo is the index of the photo that becomes the cover of a photo set, from 0.
	Photo *int
	// Image is a JPEG that becomes the cover of a video.
	Image *Media
}

// Creator describes what a platform lets an account choose. TikTok requires that an author sees it before a direct post.
type Creator struct {
	// Nickname and AvatarURL as the platform shows them.
	Nickname, AvatarURL string
	// PrivacyLevels are the audiences that the account may choose, in the platform's order.
	PrivacyLevels []string
	// CommentDisabled, DuetDisabled and StitchDisabled report interactions that the account disabled for all its posts.
	CommentDisabled, DuetDisabled, StitchDisabled bool
	// MaxVideoDuration of a post; 0 if unknown.
	MaxVideoDuration time.Duration
}

// CreatorReader is a Platform that reports a Creator.
type CreatorReader interface {
	// Creator reads what the account may choose. It changes nothing and may be called again after any error.
	Creator(ctx context.Context, a Account) (*Creator, error)
}

// Scoped is a Platform that lists the scopes that its consent page requests. What of them was not granted is missing; it is no failure,
// unless the Grant lists it as lacking.
type Scoped interface {
	// Scopes that are requested.
	Scopes() []string
}

// Commenter is a Platform that can write a comment under a published post.
type Commenter interface {
	// Comment writes text as a comment of the account under the post and returns the id of the comment. It makes one call that may
	// publish, and never repeats it: an Error of kind Ambiguous means that the comment may exist, every other that it does not.
	Comment(ctx context.Context, a Account, postID, text string) (commentID string, err error)
	// FindComment looks for a comment of the account with the text under the post and changes nothing. ErrNotFound means that it
	// provably does not exist, ErrCannotTell that this cannot be known now.
	FindComment(ctx context.Context, a Account, postID, text string) (commentID string, err error)
	// LackingForComments lists the scopes that Comment needs and that are not among the granted ones; nil when none is lacking.
	LackingForComments(granted []string) []string
}
