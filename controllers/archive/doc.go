// SPDX-License-Identifier: Apache-2.0

// Package archive moves settled shorts from the cluster to the archive of their account, and back on request.
//
//	unit     a short with the MediaAssets that it owns, its RenderJobs, PostBatches and Posts; or the posts of a deleted
//	         short. It is archived and restored as a whole.
//	gather   reads the units of a namespace from the cache
//	settled  decides whether a unit may leave
//	store    writes segments of the units, as the API server has them, and lists them in the Archive
//	leave    removes the units of a segment from view, and then deletes them
//	restore  creates the units that spec.restore names
//	check    requests the restore of units that a restore from a backup left in both places
//	sweep    deletes files that no archive lists, and those of deleted accounts
//	compact  merges small segments, and drops the rows of shorts that are no longer in the archive
//
// A unit is never in neither place: its segment is written, read back and listed before anything is removed from view,
// each object is removed from view with its resourceVersion as precondition, and only hidden objects are deleted. A
// process that stops at any point leaves a phase of a segment or an id in spec.restore, and the next pass continues.
//
// Objects keep their finalizers' work undone: hiding removes the finalizers, so the files stay in the store.
package archive
