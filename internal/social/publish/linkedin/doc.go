// SPDX-License-Identifier: Apache-2.0

// Package linkedin publishes on LinkedIn, for a member and for the pages that the member administers. It is a thin
// client of the versioned REST API; no maintained Go client supports media uploads.
//
// LinkedIn fetches no files: the package sends bytes in the parts that LinkedIn requests, LinkedIn processes them, and
// one last call creates the post. That call has no idempotency key. The outcome of a lost response can be determined
// for a page, by the upload that only this post has. A member's posts cannot be read: the outcome stays unknown, and
// the call is not repeated.
//
// An app has one of two product sets. Sign In with LinkedIn and Share on LinkedIn allow posts for members only.
// Community Management also allows posts for pages: Config.Pages. All accounts of one app request the same scopes,
// because consent to different scopes ends every token that the app has of the member. Most apps receive no refresh
// tokens: after 60 days a person has to connect again.
//
// Captions are LinkedIn's "little text": an unescaped reserved character cuts the text off without an error. A title is
// shown only with videos.
//
// Metrics are read if the app may: Config.Analytics. A page reports all its posts. A member reports only posts with
// known ids, with one call per metric and post.
//
// The package does not edit or delete posts, and does not create mentions.
package linkedin
