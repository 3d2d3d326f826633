// SPDX-License-Identifier: Apache-2.0

// Package pinnedfiles deletes files that were kept for a post after the deletion of the object that created them
// (package pinned). It deletes them when the post settles or is deleted; an hourly walk covers missed events. The
// controller writes no object.
package pinnedfiles
