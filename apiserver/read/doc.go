// SPDX-License-Identifier: Apache-2.0

// Package read answers the front end's questions from the informer cache, by index and never by scan. Lists, jobs, shorts
// and media come from the package index, which the cache feeds.
//
// Reads from a cache are not authorised by the cluster, so every question here names the namespace (the account) and,
// where the record belongs to one, the brand. A record of another brand is not found: nobody learns that it exists.
//
// The cache holds shorts, renders and media in part: Trim takes away what lists and jobs do not show, and Client, through which the
// front end writes, refuses what was trimmed and tells the index of everything else. Nothing here decides what to write, and
// nothing here knows HTTP.
package read
