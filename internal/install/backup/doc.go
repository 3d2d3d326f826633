// SPDX-License-Identifier: Apache-2.0

// Package backup writes all state of an installation to one archive and restores an installation from it.
//
// An archive is a gzipped tar. It contains a head, the objects of every kind (one page per entry), the files of the
// blob store if requested, and an end entry. The end entry has the object counts and the SHA-256 of everything before
// it. The archive can be inspected with tar. Neither writing nor reading holds more than one page of objects in memory,
// and neither holds a whole file.
//
// # The order of reading
//
// A backup stops nothing, so its objects are not from one point in time. The read order makes that harmless:
//
//	owners          before   owned objects        a post without its batch is newer than the backup: both are left out
//	created work    before   idempotency records  a request whose work is archived is never treated as a new request
//	shorts          before   the Account          the archived usage includes every archived short
//	shorts, posts   before   the Archives         what left for the archive meanwhile is in a segment, at least
//	files of        before   the Archive          a segment that the Archive lists has its files, even if it was merged
//	its segments                                  with others meanwhile
//	the Archives    before   returned objects     what returned from the archive meanwhile is read, if it was not before
//	everything      before   the ID counters      no ID is assigned twice
//	everything      before   the files            a file that an archived object names existed when the object was read
//
// A short that left for the archive while the backup was written may be in both, and in the cluster only in part. The
// restored Archive has the annotation v1beta1.AnnotationCheckArchive: the manager completes such shorts from the archive.
// Here and in the names of this package, an archive is the file, and an Archive the object of that kind.
//
// A post that is sent after it was read is either past its time or has an unknown outcome at restore. Neither is sent
// again.
//
// # The order of restoring
//
// The namespaces and the ID counters are restored first. Then every object is created with the new uid of its owner,
// and its status is written directly after it. The API keys are released last, so that no caller can send requests
// before all objects exist.
//
// Unfinished objects carry the label v1beta1.LabelRestoring, which hides them from the manager and the front end. The
// restore holds the managers' Lease until it completes, even if its process dies: a running manager is replaced, and a
// starting one waits. Every step is idempotent: a second run finds the objects that the first one created.
//
// Uids, creation times, resource versions and generations cannot be kept, because the cluster assigns them.
// v1beta1.AnnotationOrigin records the original uid and creation time, for data elsewhere that refers to them.
// Generations in statuses are renumbered.
//
// Not in an archive:
//
//   - ConnectionRequests, whose links are valid for ten minutes
//   - Jobs, Pods and Events
//   - objects that were being deleted
//   - the keys that sign addresses and seal tokens; without them the tokens in the archive cannot be read
//   - the signing secrets of webhook endpoints; they are derived again from the key that signs addresses
//   - the cursors of webhook endpoints: a restored endpoint receives the events after its restoration
//   - other objects that users created in the accounts' namespaces, such as RoleBindings
package backup
