// SPDX-License-Identifier: Apache-2.0

// Package store stores bytes: the blob store with its keys and uploads, files that are pinned against deletion, and
// sealed secrets.
//
// Packages:
//
//   - archive: stores settled shorts in Parquet files
//   - blob: the store of images and videos
//   - blobkey: reports which objects of the blob store a manifest may name
//   - envelope: seals small secrets that are stored where more readers have access than should
//   - outbox: records the events of an account until webhook endpoints received them
//   - pinned: keeps the files that posts publish after the object that created them was deleted
//   - upload: passes the declaration of an upload from one part of the service to another
//
// It may import: api, catalog, process, kube. internal/testkit/layering enforces this.
package store
