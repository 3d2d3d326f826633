// SPDX-License-Identifier: Apache-2.0

// Package tiktok publishes to TikTok with the Content Posting API. Videos are uploaded; photo sets are fetched by
// TikTok from addresses. Each is posted immediately (direct) or to the account's inbox (draft), where a person finishes
// the post.
//
// TikTok publishes a video when its last byte has arrived. Prepare therefore opens the upload and sends every part but
// the last, and Commit sends the last part. The note holds the publish id before a byte is sent, so the outcome of an
// upload can always be looked up. An upload with missing bytes can never be published.
//
// A photo set is published by one call, and only the response to that call identifies it. If the response is lost, the
// only evidence is the account's list of public posts. A matching post in that list is taken to be the photo set. If no
// post matches, the photo set may still appear later.
//
// TikTok assigns a post its public id when the post has passed moderation, which takes seconds to hours. A post is
// therefore published before its link is known, and a post that is not public never has a link.
//
// The package is also a source of analytics, through the Display API: views, likes, comments and shares of all public
// posts of an account. That API does not report saves, views of the account as a whole, or the history of its
// followers.
//
// The package does not choose texts, enforce limits, wait or retry, and keeps no state between calls.
package tiktok
