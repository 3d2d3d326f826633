// SPDX-License-Identifier: Apache-2.0

// Package meaning ranks a small catalog of described images and clips by the meaning of a query, not only by its words:
// "stargazing" finds the Milky Way. It works offline.
//
// Search ranks items for a user who browses them. Fit measures whether an item shows the subject of a text. For an item
// with a fit below Least, no image is the better choice.
package meaning
