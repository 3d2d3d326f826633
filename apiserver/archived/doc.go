// SPDX-License-Identifier: Apache-2.0

// Package archived keeps the keys of archived shorts and posts in the lists of the package index, and reads their rows.
//
// Objects holds the Archive of each namespace, from the informer. Loader reads the keys of the shorts, or of the posts,
// of a namespace when the first reader holds them, and drops those of the least recently used namespaces when they take
// too much memory. While a reader holds them, the lists have all such records that the Archive names. The posts of one
// short need only the keys of its segment. If keys cannot be read, the reader gets an error, never a list without them.
//
// The package writes nothing and does not depend on HTTP.
package archived
