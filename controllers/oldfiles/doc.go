// SPDX-License-Identifier: Apache-2.0

// Package oldfiles deletes files that nothing needs any more, although no deletion of an object removes them: segment
// caches of renders, images created for posts that have ended, slides of earlier revisions, records of stock images and
// embeddings. Other files are deleted with their object. The package writes no object of the cluster.
package oldfiles
