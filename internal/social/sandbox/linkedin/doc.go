// SPDX-License-Identifier: Apache-2.0

// Package linkedin simulates LinkedIn as the documentation of the versioned REST API describes it: OAuth, members and
// the pages they administer, multipart uploads of videos and images, posts, and statistics.
//
// Members' posts cannot be read back. Posts of a page can be read by the page's administrators. A text ends at the
// first unescaped reserved character, without an error. With Rules.Duplicates, a post with the same text as an earlier
// one is rejected as a duplicate.
package linkedin
