// SPDX-License-Identifier: Apache-2.0

// Package items chooses the next item of a source: of a list of prompts, or of the items of a feed.
//
// The functions are pure. The caller stores how many prompts were used, or the items that runs used.
package items
