// SPDX-License-Identifier: Apache-2.0

// Package analytics reads, stores and aggregates the metrics of an account's posts.
//
// Source is the interface to a platform that reports metrics. Refresher reads the stale metrics of one account within
// its Terms, the newest posts first, and builds a new Document from the previous one. A Document holds everything known
// about one account, as stored in the blob store. A Query selects posts of a Document: Summarize adds them up over a
// period, Select sorts them. Growth returns the account's metrics day by day. Next returns when a scheduled refresh of
// an account is due.
//
// Metrics that a platform does not report are unknown, never 0, and are not added up. A post that is missing from a
// listing that should contain it is dropped: its owner deleted it. All metrics of a post were read at one time, its
// MeasuredAt. Metrics of posts that are days old may be hours old, because they hardly change. The size of a Document
// is bounded: posts of 90 days, at most 10,000, and 400 days of history.
//
// The package uses neither the cluster nor HTTP.
package analytics
