// SPDX-License-Identifier: Apache-2.0

// Package hostile makes the files that nobody should send: cut off, lying about what they are, bombs that are small on
// disk and huge when opened, films that tell the player to fetch something else, and names that are no names.
//
// Everything is made when a test asks for it, from a few good files that Go and ffmpeg make. Addresses inside the files
// lead to a Bait, a listener on loopback and a file, which tell whether anybody followed them.
package hostile
