// SPDX-License-Identifier: Apache-2.0

// Package tiktok is the sandbox's TikTok: the pages, calls, checks, limits and errors of its login, Content Posting API and Display API
// as its documentation describes them.
//
// A film is out when its last part has arrived, a photo set when it was asked for: what becomes of them is decided in that call, and told
// when the time of processing is over, and their public ids when moderation is over. So the ledger knows of a post as soon as nothing can
// take it back, whoever asks or does not ask for its status.
//
// Where the documentation leaves something open, the stricter reading is taken: parts have to fit both of the wordings of the rule on
// them, a part that was taken is not taken again, a renewal gives a new refresh token. Pictures and films may be fetched over plain http
// from this machine, which TikTok does not do.
//
// What people do in the app and developers in their portal are calls of its own:
//
//	POST /app/inbox/PUBLISH_ID/finish?posts=1   posts a draft so many times; 0 throws it away
//	POST /app/accounts/maya/private             makes an account private; with ?off=1 public again
//	POST /app/limits/documented                 enforces caps and calls a minute as documented; /app/limits/default only what media are
//	POST /app/webhook?url=http://127.0.0.1:9/   sends signed events there
//
// It does not judge what is posted, and forgets publish ids when it ends; posts and connections stay.
package tiktok
