// SPDX-License-Identifier: Apache-2.0

// Package musictrack takes in the pieces of music that users bring: it keeps each under a name of its own in the store, and
// says what it really is and how loud. Sound is decoded in confined Jobs alone. How a file is taken in stands in
// internal/media/intake; here is what is particular to music.
package musictrack
