// SPDX-License-Identifier: Apache-2.0

// Package hostile creates malicious and invalid files: truncated files, files with wrong types, bombs that are small on
// disk and huge when opened, videos that make the player fetch other files, and invalid file names.
//
// Everything is created on request, from a few valid files created by Go and ffmpeg. Addresses inside the files lead to
// a Bait, a listener on loopback and a file, which detect accesses.
package hostile
