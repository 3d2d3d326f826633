// SPDX-License-Identifier: Apache-2.0

// Package linkedin stands in for LinkedIn: OAuth, members and the pages they administer, uploads of videos and pictures in the parts
// that it asks for, posts, and statistics, as the documentation of the versioned REST API describes them.
//
// A member's posts cannot be read back, a page's can by its administrators. A text ends at the first reserved character that is not
// escaped, without an error. A post that says what an earlier one said is refused as a duplicate, where that is switched on.
package linkedin
