// SPDX-License-Identifier: Apache-2.0

// Package textsearch is an in-memory full-text index.
//
// An Index holds the words of one set of records that have the same readers. Search queries several indexes at once and
// ranks the results as one list. The frequency of a word is counted only in the indexes searched, so that the order of
// results reveals nothing about records that the caller cannot read. Records with every word of the query come first,
// then records with some. Within both groups the order is by BM25 over weighted fields, then by Rank, the higher first.
//
// Words are folded (case, width, accents). A word matches every form that the English or Russian stemmer reduces to the
// same stem. The last word of a query also matches as a prefix. Scripts without spaces between words are indexed as
// pairs of characters.
//
// The package stores nothing on disk, checks no permissions and takes no locks. Concurrent searches of an Index are
// safe. A change needs exclusive access.
package textsearch
