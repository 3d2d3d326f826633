// SPDX-License-Identifier: Apache-2.0

// Package linkedin publishes on LinkedIn: for a member, and for the pages that the member administers. It is a thin client of the
// versioned REST API; there is no kept Go client with media uploads.
//
// LinkedIn fetches nothing: bytes are sent in the parts that it asks for, then it works on them, and one last call makes the post.
// That call has no key against doing it twice. What became of one whose answer was lost can be seen for a page, by the upload that
// only this post has; a member's posts cannot be read, so there nobody can tell, and the call is not made again.
//
// An app has either Sign In with LinkedIn and Share on LinkedIn, and then posts for members alone, or Community Management, and
// then for pages as well: Config.Pages. All accounts of one app ask for the same scopes, since a consent to others ends every token that
// the app has of the member. Most apps get no refresh tokens: after 60 days a person connects again.
//
// Captions are LinkedIn's "little text": a reserved character that is not escaped cuts the text off without an error. A title is shown
// with films alone.
//
// Numbers are read where the app may: Config.Analytics. A page tells of all its posts, a member of those alone whose ids are known, and
// each number of each with a call of its own.
//
// The package does not edit or delete posts, or mention anybody.
package linkedin
