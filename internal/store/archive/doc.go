// SPDX-License-Identifier: Apache-2.0

// Package archive stores settled shorts in Parquet files of the blob store.
//
// The archive of an account consists of segments. A segment is a folder with two files that never change:
//
//	archive/NAMESPACE/2026-10/SEGMENT/shorts.parquet    a row for each short, by id
//	archive/NAMESPACE/2026-10/SEGMENT/posts.parquet     a row for each post of these shorts, by id
//
// The month is the one in which the shorts were created, in UTC. Columns hold what lists filter and sort by, the last
// column holds the whole objects as JSON. Any program that reads Parquet can read the files.
//
// A file has one row group. Its first columns are those of ShortKey or PostKey, so the keys of all rows are one range
// of the file. Pages are small and have an index, so a row is read with few small ranges. Between the page index and
// the footer are checksums of all bytes of the file. This package verifies every byte before it decodes it: an altered
// byte is ErrDamaged. Other readers ignore these checksums, and verify at most those of the pages.
//
// The status of the Archive of a namespace names its segments: a file without a segment there is not part of the
// archive. This package neither decides what is archived nor reads the cluster.
package archive
