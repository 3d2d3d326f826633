// SPDX-License-Identifier: Apache-2.0

// Package meaning ranks a small catalog of described pictures and clips by what a query means, not only by its words:
// "stargazing" finds the Milky Way. It works offline.
//
// Search orders items for a person who looks at them. Fit measures whether an item shows what a text speaks of at all; below
// Least no picture is better than the item.
package meaning
