// SPDX-License-Identifier: Apache-2.0

// Package textsearch finds records by their words, in memory.
//
// An Index holds the words of one set of records that are seen by the same people. Search looks into several at once and
// ranks what it finds as if they were one: how rare a word is is counted in the sets that are searched and in no other, so
// that nobody can learn from an order what others have. Records that hold every word of a query come first, then those that
// hold some; within both by BM25 over weighted fields, and of equals the higher Rank first.
//
// Words are folded (case, width, accents) and found in any form that an English or Russian stemmer takes for the same word;
// the last word of a query is also the beginning of one. Writing without blanks between words is cut into pairs of
// characters.
//
// Nothing here is stored on disk, knows who may see what, or locks: an Index may be searched by many at a time, and changed
// by one while nobody searches.
package textsearch
