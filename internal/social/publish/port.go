// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"io"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
)

// Platform is one social platform. It is safe for concurrent use.
type Platform interface {
	// Name returns the name of the platform.
	Name() v1beta1.Platform
	OAuth
	Publisher
}

// OAuth connects accounts and renews their tokens.
type OAuth interface {
	// Missing returns the names of the settings that the installation has not configured, such as client_id and
	// redirect_uri. The list is empty when accounts can be connected.
	Missing() []string
	// AuthorizeURL returns the address of the consent page. It makes no call and needs no client secret.
	AuthorizeURL(a Authorization) string
	// Exchange exchanges the authorization code for tokens and returns them with the identities that they cover. There
	// are several identities if one person may post for several accounts (pages). A code is valid for one call: a lost
	// response is a Transient error, and the person has to approve again.
	Exchange(ctx context.Context, code string, a Authorization) (*Grant, error)
	// Refresh renews tokens. The returned tokens are complete and replace the old ones: fields that the platform does
	// not send again keep their old value. An Error of kind Auth means that the permission has ended permanently; every
	// other error changes nothing.
	Refresh(ctx context.Context, t Tokens) (Tokens, error)
	// Identify reads the account's identity again. Only fields that may change are filled in.
	Identify(ctx context.Context, a Account) (*Identity, error)
}

// Authorization is one round trip through a platform's consent page.
type Authorization struct {
	// State is returned with the code.
	State string
	// Verifier is the PKCE code verifier, 43 to 128 characters. On platforms with PKCE, the verifier proves that the
	// exchange comes from the client that requested the code.
	Verifier string
	// RedirectURI is the address to which the page redirects.
	RedirectURI string
}

// Tokens are secrets: they are stored sealed and never logged.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token,omitempty"`
	// AccessExpiresAt and RefreshExpiresAt are zero if the platform reports no expiry.
	AccessExpiresAt  time.Time `json:"access_expires_at,omitzero"`
	RefreshExpiresAt time.Time `json:"refresh_expires_at,omitzero"`
	// IssuedAt is when the access token was issued.
	IssuedAt time.Time `json:"issued_at,omitzero"`
	// Scopes are the granted scopes.
	Scopes []string `json:"scopes,omitempty"`
}

// Grant is the result of one approval.
type Grant struct {
	Tokens     Tokens
	Identities []Identity
	// Lacking lists the scopes that publishing needs and that were not granted.
	Lacking []string
}

// Identity is an account as the platform describes it.
type Identity struct {
	// ID is the platform's stable id of the account.
	ID                                          string
	Name, Username, ProfileURL, AvatarURL, Type string
}

// Account is the account for which a call is sent.
type Account struct {
	// ID is the platform's own id, Username the handle.
	ID, Username, Type string
	// AccessToken authorizes the call.
	AccessToken string
	// Scopes are the granted scopes.
	Scopes []string
}

// Publisher publishes posts.
type Publisher interface {
	// Headroom returns how much the account may still post. It returns nil, nil if the platform does not report a
	// quota.
	Headroom(ctx context.Context, a Account) (*Headroom, error)
	// Prepare advances a draft until only Commit is left. It resumes from the note of an earlier call; an empty note
	// starts from the beginning. It may be called again after any error and after a crash: none of its work is visible
	// on the platform.
	//
	// save stores a note durably. Adapters call it before they continue after a step that must not run twice, and stop
	// if it fails. The caller stores the note of the returned Step.
	//
	// An error of kind Expired means that the note is no longer usable: start again with an empty note.
	Prepare(ctx context.Context, a Account, d Draft, note []byte, save func(note []byte) error) (Step, error)
	// Commit makes the one call that may publish. It makes the call once and never retries. note is the note of a Step
	// that was Ready. An error of kind Ambiguous means that the platform may have accepted the post; every other error
	// means that it did not.
	Commit(ctx context.Context, a Account, d Draft, note []byte) (*Receipt, error)
	// Find looks up whether the platform accepted an attempt that was sent at the given time. It uses the note and the
	// posts that the account shows, and changes nothing. It returns ErrNotFound if the attempt was provably not
	// accepted, and ErrCannotTell if that cannot be determined now.
	Find(ctx context.Context, a Account, d Draft, note []byte, at time.Time) (*Receipt, error)
	// Look returns the state of an accepted post and changes nothing. It returns ErrNotFound if the platform no longer
	// has the post.
	Look(ctx context.Context, a Account, d Draft, handle string) (*View, error)
}

// Draft is the content of a post to publish.
type Draft struct {
	// Key identifies the draft: it is the same for every attempt of one post and different for every post.
	Key string
	// Kind is catalog.MediaVideo or catalog.MediaPhotoSet. Mode is catalog.PostDirect or catalog.PostDraft.
	Kind, Mode     string
	Title, Caption string
	Tags           []string
	AutoAddMusic   bool
	// Settings are the platform settings that the author or the brand chose; an absent field has its default. Adapters
	// ignore Cover and FirstComment in it: the field Cover below is the resolved cover, and comments are sent through a
	// Commenter.
	Settings v1beta1.PostSettings
	// Cover is the chosen cover; nil leaves the choice to the platform.
	Cover *Cover
	// Video is set for a video, Photos for a photo set.
	Video  *Media
	Photos []Media
}

// Media is a file to publish.
type Media struct {
	ContentType string
	Bytes       int64
	// Width and Height are in pixels. Duration is set for a video.
	Width, Height int
	Duration      time.Duration
	AltText       string
	// Open reads the file from an offset in bytes. The caller closes the reader.
	Open func(ctx context.Context, offset int64) (io.ReadCloser, error)
	// URL returns an address from which the platform can fetch the file without credentials, valid for a day.
	URL func(ctx context.Context) (string, error)
}

// Step is the progress of Prepare.
type Step struct {
	// Note is the note for the next call. It may hold secrets.
	Note []byte
	// Ready reports whether only Commit is left. If false, the caller calls Prepare again after Wait.
	Ready bool
	Wait  time.Duration
	// ExpiresAt is when the platform discards what was prepared; zero if it does not expire.
	ExpiresAt time.Time
}

// Receipt identifies an accepted post.
type Receipt struct {
	// Handle identifies the post for Look. It holds no secrets and at most 1,024 bytes.
	Handle string
	// View is set if the response already contained the state of the post.
	View *View
	// Guess reports whether Find matched only by what the account shows: the match may be another post with the same
	// text.
	Guess bool
}

// View is the state of an accepted post on the platform.
type View struct {
	// State is processing while the platform works on the post. The final states are published, in_inbox and private.
	// Failed is set if the platform dropped the post after accepting it: nothing was published.
	State v1beta1.DeliveryState
	// PostID and URL are set as soon as the platform reports them, which may be after publication. Settled reports
	// whether there is nothing more to wait for.
	PostID, URL string
	PublishedAt time.Time
	Settled     bool
	Failed      *Error
	// Wait is the time before the next poll if the post is not settled; 0 leaves it to the caller.
	Wait time.Duration
	// Recheck is the time after which a settled post has to be polled once more, because the platform may still
	// withdraw it; 0 means never.
	Recheck time.Duration
	// Warnings are sentences for users, without secrets. They describe where an accepted post differs from the author's
	// choices: a cover that the platform refused, a post that it later changed to private.
	Warnings []string
}

// Headroom is an account's posting quota.
type Headroom struct {
	Used, Max int
	Window    time.Duration
	// Limited reports whether the platform refuses posts now. ResetsAt is when the limit ends, if the platform reported
	// it.
	Limited  bool
	ResetsAt time.Time
}

// Missing returns a function that lists the settings that the installation has not configured for a platform. For a
// platform that is not in all, the list is client_id. Missing returns nil if all is nil.
func Missing(all map[v1beta1.Platform]Platform) func(v1beta1.Platform) []string {
	if all == nil {
		return nil
	}
	return func(p v1beta1.Platform) []string {
		if all[p] == nil {
			return []string{"client_id"}
		}
		return all[p].Missing()
	}
}
