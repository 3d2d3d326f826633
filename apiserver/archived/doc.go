// SPDX-License-Identifier: Apache-2.0

// Package archived keeps the keys of archived shorts and posts in the lists of the package index, and reads their rows.
//
// Objects holds the Archive of each namespace, from the informer. Loader reads the keys of a namespace when the first
// reader holds it, and drops those of the least recently used namespaces when they take too much memory. While a reader
// holds a namespace, the lists have all records that its Archive names. If the keys cannot be read, the reader gets an
// error, never a list without them.
//
// The package writes nothing and does not depend on HTTP.
package archived
