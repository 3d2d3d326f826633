// SPDX-License-Identifier: Apache-2.0

// Package kube contains what every controller needs: conditions, finalizers, field owners, ids, names, the leader
// election lease, objects that are created again, and requests for it. For informers it has lists of all objects of a
// kind, and the snapshot that survives a restart.
//
// Packages:
//
//   - fieldowner: names the field managers of Reelops
//   - finalize: adds and removes finalizers
//   - identity: labels an object that has no integer id with one, and with its brand
//   - ids: allocates the integer ids of the API
//   - lease: elects the manager that works
//   - lists: reads all objects of a kind and decodes them while they arrive
//   - naming: derives the names of children from their parent
//   - recall: requests the restore of archived shorts
//   - recreate: creates objects again from a backup or the archive
//   - resume: restarts informers from a snapshot of the objects that they held
//   - status: writes the status of an object
//
// It may import: api, catalog, process. internal/testkit/layering enforces this.
package kube
