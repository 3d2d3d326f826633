// SPDX-License-Identifier: Apache-2.0

// Package uploads deletes orphaned uploads from the blob store: uploads that were never claimed, uploads that were
// repeated after they were ingested, and unfinished writes of killed processes.
//
// The package reads the store and MediaAssets, and writes no object. An upload that a MediaAsset still has to ingest
// stays regardless of its age; the MediaAsset's controller deletes it.
package uploads
