// SPDX-License-Identifier: Apache-2.0

// Package pinned keeps the files that posts publish after the object that created them was deleted.
//
// A Post names its files by key in spec.media. Remove is how a controller deletes the files of an object that is being
// deleted: files that an open post names stay, and a mark in the store records the prefix they are below. The object
// itself is released at once, so that no deletion waits for a post. Collect deletes the files of a marked prefix when
// no open post names them.
//
// The mark is written before anything is deleted. After a crash at any point the files are found again: by the object's
// finalizer, or by a walk of the marks. An object that was restored from a backup owns its files again, and its mark is
// dropped.
package pinned
