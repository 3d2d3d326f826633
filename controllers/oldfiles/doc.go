// SPDX-License-Identifier: Apache-2.0

// Package oldfiles deletes files that nothing needs any more, although the object that created them remains: segment
// caches of renders, and images created for posts that have ended. Other files are deleted with their object. The
// package writes no object of the cluster.
package oldfiles
