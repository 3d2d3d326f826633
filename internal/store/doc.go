// SPDX-License-Identifier: Apache-2.0

// Package store keeps bytes: the blob store with its keys and uploads, files that are pinned against deletion, and sealed secrets.
//
// Packages:
//
//   - blob: is the store of pictures and films
//   - blobkey: says which objects of the blob store a manifest may name
//   - envelope: seals small secrets before they are stored where more can read than should
//   - pinned: keeps the files that posts publish after the object that made them was deleted
//   - upload: is what one part of the service tells another of a file that is being uploaded
//
// It may import: api, catalog, process, kube. internal/testkit/layering holds this.
package store
