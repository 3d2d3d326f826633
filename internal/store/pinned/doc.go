// SPDX-License-Identifier: Apache-2.0

// Package pinned keeps the files of a deleted object while posts still publish them.
//
// A Post names its files by key in spec.media. A controller calls RemoveAll to delete the files of an object that is
// being deleted. Files that an open post names stay, and a mark in the store records their prefix. Files of accepted
// posts that a PostBatch has not created yet stay as well. The object itself is released at once, so that no deletion
// waits for a post. Collect deletes the files of a marked prefix when no open post names them.
//
// The mark is written before anything is deleted. After a crash at any point, the object's finalizer or a walk of the
// marks finds the files again. An object that was restored from a backup owns its files again, and its mark is deleted.
package pinned
