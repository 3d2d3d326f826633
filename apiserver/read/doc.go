// SPDX-License-Identifier: Apache-2.0

// Package read reads records from the informer cache, by index and never by scan. Lists, jobs, shorts and media come
// from the package index, which the cache feeds.
//
// The cluster does not authorize reads from a cache. So every read names the namespace (the account) and, if the record
// belongs to a brand, the brand. A record of another brand is not found, so that its existence is not disclosed.
//
// The cache holds shorts, renders, media and posts in part: Trim removes the fields that lists and jobs do not show.
// Client, through which the front end writes, refuses trimmed objects and reports all other writes to the index. The
// package does not decide what to write and does not depend on HTTP.
package read
