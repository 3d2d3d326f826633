// SPDX-License-Identifier: Apache-2.0

// Package read answers the front end's questions from the informer cache, by index and never by scan.
//
// Reads from a cache are not authorised by the cluster, so every question here names the namespace (the account) and,
// where the record belongs to one, the brand. A record of another brand is not found: nobody learns that it exists.
// Nothing here writes, and nothing here knows HTTP.
package read
