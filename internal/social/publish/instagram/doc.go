// SPDX-License-Identifier: Apache-2.0

// Package instagram publishes reels, images and carousels to professional Instagram accounts, and reads their metrics,
// over the API with Instagram Login.
//
// Instagram fetches the media from an address into a container, which is invisible; publishing a container is the only
// step that cannot be undone. Prepare creates the containers (the images of a carousel first, then the carousel) and
// waits for them. Commit publishes. Find resolves an attempt whose response was lost, by the state of its container and
// the posts of the account. The package cannot remove or change a post: Instagram has no call for it.
//
// There is no refresh token: an access token that is at least a day old renews itself for sixty days. Instagram has no
// call to revoke a permission. Posts have no title, and Instagram has no drafts for apps.
//
// The package is also a source of analytics for all posts of an account. Likes and comments are in the listing.
// Insights take one request per post and a separate permission. New followers are reported by day; lost followers are
// not.
package instagram
