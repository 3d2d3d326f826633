// SPDX-License-Identifier: Apache-2.0

// Package blob is the store of images and videos: a folder, S3, Google Cloud Storage or Azure Blob Storage, by URL.
//
// Objects are written whole or not at all, streamed in both directions, and shared by signed URLs that expire. A folder
// has no server of its own, so its signed URLs lead to Handler, which the front end serves. The cloud stores sign their
// own URLs. The package does not interpret the content of objects.
package blob
