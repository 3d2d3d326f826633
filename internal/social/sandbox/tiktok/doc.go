// SPDX-License-Identifier: Apache-2.0

// Package tiktok simulates TikTok: the pages, calls, checks, limits and errors of its login, Content Posting API and
// Display API as the documentation describes them.
//
// A video is published when its last part has arrived, a photo set when its creation is requested. The outcome is
// decided in that call. The status call reports the outcome after the processing time, and the public IDs after
// moderation. The sandbox therefore lists a post as soon as nothing can prevent it, whether or not a client polls its
// status.
//
// Where the documentation is ambiguous, the package implements the stricter reading. Parts must satisfy both wordings
// of the rule on parts, a part cannot be uploaded twice, and a refresh returns a new refresh token. Unlike TikTok, the
// package fetches images and videos over plain HTTP from this machine.
//
// Actions of users in the app and of developers in their portal have endpoints of their own:
//
//	POST /app/inbox/PUBLISH_ID/finish?posts=1   posts a draft so many times; 0 discards it
//	POST /app/accounts/maya/private             makes an account private; with ?off=1 public again
//	POST /app/accounts/maya/disable             disables ?interactions=comment,duet,stitch for all posts
//	POST /app/limits/documented                 enforces the documented caps and rate limits; /app/limits/default only media limits
//	POST /app/webhook?url=http://127.0.0.1:9/   sends signed events to the URL
//
// The package does not check what is posted. Publish IDs are lost when the process ends; posts and tokens stay.
package tiktok
