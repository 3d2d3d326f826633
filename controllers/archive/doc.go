// SPDX-License-Identifier: Apache-2.0

// Package archive moves settled shorts from the cluster to the archive of their account, and back on request.
//
//	unit     a short with the MediaAssets that it owns, its RenderJobs, PostBatches and Posts; or the posts of a deleted
//	         short. It is archived and restored as a whole.
//	gather   reads the units of a namespace from the cache
//	settled  decides whether a unit may leave
//	store    writes segments of the units, as the API server has them, and lists them in the Archive
//	leave    removes the units of a segment from view, and then deletes them; or puts units back that cannot leave
//	hidden   shows hidden objects that no segment holds
//	restore  creates the units that spec.restore names
//	check    requests the restore of units that a restore from a backup left in both places
//	sweep    deletes files that no archive lists, and those of deleted accounts
//	expire   deletes the units whose retention has ended, with their files
//	compact  merges small segments, and drops the rows of shorts that are no longer in the archive
//
// A unit is never in neither place: its segment is written, read back and listed before anything is removed from view,
// each object is removed from view with its resourceVersion as precondition, and only hidden objects are deleted. A
// process that stops at any point leaves a phase of a segment or an id in spec.restore, and the next pass continues.
//
// Two managers can run at the same time for a moment: one has lost its lease and does not know it yet. The status of
// the archive is written only if no other write has changed it, and has a decision before it takes effect:
//
//	delete   after the phase Deleting, which never returns to Hiding: nothing is put back or restored during it
//	show     after the unit was removed from the segment. Each object is written, so that none can be hidden any more
//	         for this segment, and only objects that this segment has hidden are shown
//	restore  all objects are created before the unit is removed from its segment, and shown after it
//
// One case remains: a late manager can create objects of a restore again after the restore is complete and users have
// deleted these objects. They stay hidden.
//
// Objects keep their finalizers' work undone: hiding removes the finalizers, so the files stay in the store.
package archive
