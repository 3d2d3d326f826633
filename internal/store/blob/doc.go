// SPDX-License-Identifier: Apache-2.0

// Package blob is the store of pictures and films: a folder, S3, Google Cloud Storage or Azure Blob Storage, by URL.
//
// Objects are written whole or not at all, streamed in both directions, and handed to others by signed URLs that end by
// themselves. A folder has no server of its own, so its signed URLs lead to Handler, which the front end serves; the
// cloud stores sign URLs of their own. Nothing here knows what an object means.
package blob
