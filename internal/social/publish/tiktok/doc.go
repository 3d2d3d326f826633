// SPDX-License-Identifier: Apache-2.0

// Package tiktok publishes to TikTok by its Content Posting API: films by upload, photo sets by addresses that TikTok fetches,
// each at once (direct) or into the inbox of the account (draft), where a person finishes it.
//
// A film goes out when its last byte has arrived. So Prepare opens the upload and sends every part but the last, and Commit sends
// the last. The note holds the publish id before a byte is sent: what became of an upload can always be asked by it, and one whose
// bytes are not all there can never be published.
//
// A photo set goes out with one call, whose answer alone names it. When that answer is lost the account's list of public posts is
// all there is to look at: a post that is found there is the one, and one that is not there may still come.
//
// TikTok gives a post its public id when it has passed moderation, which takes from seconds to hours: a post is published before its
// link is known, and one that is not public never has one.
//
// It is also a source of numbers, by the Display API: of all public posts of an account, views, likes, comments and shares. Who saved a
// post, how often the account was seen as a whole and how its followers changed, that API does not tell.
//
// The package does not choose texts, hold caps, wait, retry, or keep anything between two calls.
package tiktok
