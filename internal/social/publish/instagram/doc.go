// SPDX-License-Identifier: Apache-2.0

// Package instagram publishes reels, pictures and carousels to professional Instagram accounts, and reads their numbers, over the API
// with Instagram Login.
//
// Instagram fetches what is published from an address it is given, into a container that nobody sees; publishing a container is
// the one step that cannot be undone. Prepare makes the containers (the pictures of a carousel first, then the carousel) and
// waits for them; Commit publishes; Find settles a publication whose answer was lost, by the state of its container and by what
// the account shows. Nothing here can remove or change a post: Instagram has no call for it.
//
// There is no refresh token: the access token renews itself, once it is a day old, for sixty days. There is no call by which an
// app gives a permission back. Posts have no title, and Instagram has no drafts for apps.
//
// It is also a source of numbers, of all posts of an account: those that it tells in lists, likes and comments, and insights, which are
// asked for post by post and need a permission of their own. How many followers came is told by day; how many left is not.
package instagram
