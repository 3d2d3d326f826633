// SPDX-License-Identifier: Apache-2.0

// Package meaning ranks a small catalog of described pictures and clips by what a query means, not only by its words:
// "stargazing" finds the Milky Way. It works offline.
package meaning
