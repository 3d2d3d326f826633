// SPDX-License-Identifier: Apache-2.0

// Package analytics reads what people did with an account's posts, keeps it, and adds it up.
//
// Source is the port: a platform that tells numbers. Refresher asks one account's platform, within its Terms, for what has become
// stale, the newest posts first, and makes a new Document of the one before it; a Document is everything that is known of one account,
// as it lies in the blob store. A Query is a question about a Document: Summarize adds up its posts over a period, Select puts them in an
// order, Growth shows how the account went day by day. Next says when an account is due by itself.
//
// What a platform does not report is unknown, never 0, and nothing is added to it. A post that should have been listed and was not is
// dropped: its owner deleted it. All numbers of a post are of one time, its MeasuredAt; those of posts that are days old are hours old, as
// they hardly change. What is kept is bounded: posts of 90 days, 10,000 at most, and 400 days of history.
//
// The package knows neither the cluster nor HTTP.
package analytics
