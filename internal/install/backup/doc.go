// SPDX-License-Identifier: Apache-2.0

// Package backup writes everything that an installation is into one archive, and makes an installation of it again.
//
// An archive is a gzipped tar: a head, the objects of every kind a page to an entry, the files of the store where they were asked for,
// and an end that counts the objects and has the SHA-256 of all before it. It can be looked into with tar. Neither writing nor reading
// holds more than a page of objects, or any file, in memory.
//
// # The order of reading
//
// Nothing is stopped for a backup, so its objects are not of one moment. The order makes that harmless:
//
//	what owns        before   what is owned        a post whose batch is not in the archive was asked for after the backup: both are left out
//	what was made    before   idempotency records  a request whose work is there is never taken for a new one
//	shorts           before   the Account          what is there was charged for
//	everything       before   the ids' counters    no id is given twice
//	everything       before   the files            what an object names was there when it was read
//
// A post that goes out after it was read is one whose time has passed, or whose outcome is unknown, when it is restored: neither is sent.
//
// # The order of restoring
//
// The counters of ids first, then every object with its owner's new uid, and its status at once after it, and when all are there the
// keys, so that nobody can ask before. Whatever is not finished bears the label v1beta1.LabelRestoring, which manager and front end do not
// see; and the Lease of the managers is held all the while, for as long as it takes: a manager that runs is replaced, one that starts waits,
// also when this process dies. Every step can be repeated: a second run finds what the first one made.
//
// What cannot be kept: uids, creation times, resource versions and generations belong to the cluster. v1beta1.AnnotationOrigin has the uid
// and the creation time that an object had, for all that is kept under them elsewhere. Generations in statuses are counted anew.
//
// Not in an archive: ConnectionRequests, whose links are good for ten minutes; Jobs, Pods and Events; what was being deleted; the keys that sign
// addresses and seal tokens, without which whoever has the archive cannot read the tokens in it; and what people wrote beside Reelops
// into the accounts' namespaces, such as RoleBindings.
package backup
