// SPDX-License-Identifier: Apache-2.0

// Package pinnedfiles deletes files that were kept for a post after the object that made them was deleted (package pinned): when the
// post ends or is deleted, and for what an event missed once every hour. It reads posts and the store, and writes to no object.
package pinnedfiles
