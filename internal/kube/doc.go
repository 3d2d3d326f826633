// SPDX-License-Identifier: Apache-2.0

// Package kube is what any controller needs: conditions, finalizers, field owners, ids, names, the leader lease, and the cache that outlives a
// restart.
//
// Packages:
//
//   - fieldowner: names the field managers of Reelops
//   - finalize: adds and removes finalizers
//   - identity: gives an object that came without one its integer id and its brand's label
//   - ids: hands out the integer ids of the interface
//   - lease: decides which of several managers works
//   - naming: gives children names that follow from their parent
//   - resume: lets a program that is started again go on from the objects that it knew
//   - status: writes the status of an object
//
// It may import: api, catalog, process. internal/testkit/layering holds this.
package kube
