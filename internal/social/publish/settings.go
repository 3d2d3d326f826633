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

// Creator holds the options that a platform offers an account. TikTok requires that the author sees them before a
// direct post.
type Creator struct {
	// Nickname and AvatarURL as the platform shows them.
	Nickname, AvatarURL string
	// PrivacyLevels are the audiences that the account may choose, in the platform's order.
	PrivacyLevels []string
	// CommentDisabled, DuetDisabled and StitchDisabled report interactions that the account disabled for all its posts.
	CommentDisabled, DuetDisabled, StitchDisabled bool
	// MaxVideoDuration is the longest video that the account may post; 0 if unknown.
	MaxVideoDuration time.Duration
}

// CreatorReader is a Platform that reports a Creator.
type CreatorReader interface {
	// Creator returns the options of the account. It changes nothing and may be called again after any error.
	Creator(ctx context.Context, a Account) (*Creator, error)
}

// Scoped is a Platform that lists the scopes that its consent page requests. A requested scope that was not granted is
// missing. A missing scope is a failure only if the Grant lists it as lacking.
type Scoped interface {
	// Scopes returns the requested scopes.
	Scopes() []string
}

// Commenter is a Platform that can write a comment under a published post.
type Commenter interface {
	// Comment writes text as a comment of the account under the post and returns the id of the comment. It makes one
	// call that may publish, and never retries it. An Error of kind Ambiguous means that the comment may exist; every
	// other error means that it does not.
	Comment(ctx context.Context, a Account, postID, text string) (commentID string, err error)
	// FindComment returns the id of a comment of the account with the text under the post, and changes nothing. It
	// returns ErrNotFound if the comment provably does not exist, and ErrCannotTell if that cannot be determined now.
	FindComment(ctx context.Context, a Account, postID, text string) (commentID string, err error)
	// LackingForComments returns the scopes that Comment needs and that are not in granted; nil if none is lacking.
	LackingForComments(granted []string) []string
}
