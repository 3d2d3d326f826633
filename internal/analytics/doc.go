// SPDX-License-Identifier: Apache-2.0

// Package analytics reads what people did with an account's posts, keeps it, and adds it up.
//
// Source is the port: a platform that tells numbers. Refresher asks one account's platform, within its Terms, for what has become
// stale, the newest posts first, and makes a new Document of the one before it; a Document is everything that is known of one account,
// as it lies in the blob store. A Report is a question about a Document: sums over a period, and its posts in an order.
//
// What a platform does not report is unknown, never 0, and nothing is added to it. The package knows neither the cluster nor HTTP.
package analytics
