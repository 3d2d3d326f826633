// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"io"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
)

// Platform is one social platform. It is safe for use by many goroutines.
type Platform interface {
	// Name of the platform.
	Name() v1beta1.Platform
	OAuth
	Publisher
}

// OAuth connects accounts and keeps their tokens alive.
type OAuth interface {
	// Missing lists what the installation has not configured, client_id and redirect_uri among it; empty when accounts can be
	// connected.
	Missing() []string
	// AuthorizeURL is the page where a person approves. It makes no call and needs no client secret.
	AuthorizeURL(a Authorization) string
	// Exchange turns the code that the page gave into tokens, and says whose they are: one identity, or several where one person
	// may post for several accounts (pages). A code is good for one call: a lost answer is a Transient error, and the person has to
	// approve again.
	Exchange(ctx context.Context, code string, a Authorization) (*Grant, error)
	// Refresh renews tokens. What the platform does not send again is kept: the answer is complete and replaces the old tokens. An
	// Error of kind Auth means that the permission has ended for good; every other changes nothing.
	Refresh(ctx context.Context, t Tokens) (Tokens, error)
	// Identify asks again who the account is. Only what may change is filled in.
	Identify(ctx context.Context, a Account) (*Identity, error)
}

// Authorization is one round through a platform's page.
type Authorization struct {
	// State comes back with the code.
	State string
	// Verifier proves, where the platform has PKCE, that the code is exchanged by whoever asked for it: 43 to 128 characters.
	Verifier string
	// RedirectURI is where the page leads back to.
	RedirectURI string
}

// Tokens are secrets: they are stored sealed and never logged.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token,omitempty"`
	// AccessExpiresAt and RefreshExpiresAt are zero where the platform gives no end.
	AccessExpiresAt  time.Time `json:"access_expires_at,omitzero"`
	RefreshExpiresAt time.Time `json:"refresh_expires_at,omitzero"`
	// IssuedAt is when the access token was given.
	IssuedAt time.Time `json:"issued_at,omitzero"`
	// Scopes that were granted.
	Scopes []string `json:"scopes,omitempty"`
}

// Grant is what a person gave.
type Grant struct {
	Tokens     Tokens
	Identities []Identity
	// Lacking lists scopes that publishing needs and that the person did not grant.
	Lacking []string
}

// Identity is an account as the platform describes it.
type Identity struct {
	// ID is the platform's own, stable id of the account.
	ID                                          string
	Name, Username, ProfileURL, AvatarURL, Type string
}

// Account is whom a call is made for.
type Account struct {
	// ID is the platform's own id, Username the handle.
	ID, Username, Type string
	// AccessToken for the call.
	AccessToken string
	// Scopes that were granted.
	Scopes []string
}

// Publisher publishes.
type Publisher interface {
	// Headroom asks the platform how much the account may still post; nil, nil where the platform does not tell.
	Headroom(ctx context.Context, a Account) (*Headroom, error)
	// Prepare brings a draft to where only Commit is left, from wherever the note says an earlier call came to; an empty note
	// begins. It may be called again after any error and after a crash: nothing of it can be seen on the platform. save records a
	// note durably and must succeed before an adapter goes on from a step that it would not want to do twice; what Prepare
	// answers with is recorded by the caller. An error of kind Expired means that the note is of no more use: begin from an empty one.
	Prepare(ctx context.Context, a Account, d Draft, note []byte, save func(note []byte) error) (Step, error)
	// Commit makes the one call that may publish, once, and never again by itself. It is given the note of a Step that was Ready.
	// Errors of kind Ambiguous mean that it may have been taken; all others mean that it was not.
	Commit(ctx context.Context, a Account, d Draft, note []byte) (*Receipt, error)
	// Find looks, without changing anything, whether an attempt that was made at the time was taken: by its note, by what the
	// account shows. ErrNotFound means that it provably was not; ErrCannotTell that nobody can know now.
	Find(ctx context.Context, a Account, d Draft, note []byte, at time.Time) (*Receipt, error)
	// Look asks what became of an accepted post, without changing anything. ErrNotFound means that the platform has it no more.
	Look(ctx context.Context, a Account, d Draft, handle string) (*View, error)
}

// Draft is what to publish.
type Draft struct {
	// Key names the draft: the same for every attempt of one post, different for every post.
	Key string
	// Kind is catalog.MediaVideo or catalog.MediaPhotoSet, Mode catalog.PostDirect or catalog.PostDraft.
	Kind, Mode     string
	Title, Caption string
	Tags           []string
	AutoAddMusic   bool
	// Settings are the platform settings that the author or the brand chose; a field that is absent takes its default. Cover and
	// FirstComment in it are not for adapters: Cover below is the resolved one, and comments go through a Commenter.
	Settings v1beta1.PostSettings
	// Cover that was chosen; nil leaves it to the platform.
	Cover *Cover
	// Video of a video, Photos of a photo set.
	Video  *Media
	Photos []Media
}

// Media is a file that is published.
type Media struct {
	ContentType string
	Bytes       int64
	// Width and Height in pixels; Duration of a film.
	Width, Height int
	Duration      time.Duration
	AltText       string
	// Open reads the file from an offset in bytes. The reader is closed by whoever opened it.
	Open func(ctx context.Context, offset int64) (io.ReadCloser, error)
	// URL is an address from which the platform may fetch the file, without a credential, for a day.
	URL func(ctx context.Context) (string, error)
}

// Step is how far Prepare has come.
type Step struct {
	// Note for the next call. It may hold secrets.
	Note []byte
	// Ready says that only Commit is left; else Prepare is called again after Wait.
	Ready bool
	Wait  time.Duration
	// ExpiresAt is when the platform forgets what was prepared; zero when it does not.
	ExpiresAt time.Time
}

// Receipt is what a platform gave for an accepted post.
type Receipt struct {
	// Handle by which Look finds it, without secrets, at most 1,024 bytes.
	Handle string
	// View when the answer told already where the post is.
	View *View
	// Guess says that Find went by what the account shows alone: another post of the same words may be the one that was found.
	Guess bool
}

// View is an accepted post as the platform shows it.
type View struct {
	// State is processing while the platform works on it; published, in_inbox and private are where it came to. Failed is set
	// when the platform gave it up after it had been accepted: nothing was published.
	State v1beta1.DeliveryState
	// PostID and URL as soon as the platform tells them. A post can be published before they are known: Settled says that there
	// is nothing more to wait for.
	PostID, URL string
	PublishedAt time.Time
	Settled     bool
	Failed      *Error
	// Wait before the next look, when it is not settled; 0 leaves it to the caller.
	Wait time.Duration
	// Recheck is after what time a settled post has to be looked at once more, because the platform may still take it back; 0 is never.
	Recheck time.Duration
	// Warnings are sentences for people, without secrets, about what is not as the author chose although the post was accepted: a cover
	// that the platform refused, a post that it changed to private later.
	Warnings []string
}

// Headroom is how much an account may still post.
type Headroom struct {
	Used, Max int
	Window    time.Duration
	// Limited says that the platform refuses posts now; ResetsAt until when, if it told.
	Limited  bool
	ResetsAt time.Time
}

// Missing tells what the installation has not configured of a platform: that of one that is not there, its client_id. Without
// platforms it is nil.
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
