// SPDX-License-Identifier: Apache-2.0

// Package mp4 writes one kind of MP4: a video of one H.264 track and one AAC track that are complete before they are
// written.
//
// The index precedes the media, so that a video plays while it loads. There is no edit list, no date and no program
// name in the file: pictures are shown in storage order at a constant rate, and the same tracks give the same bytes.
// Sound and pictures are interleaved, a second at a time.
//
// The package does not read MP4s, and handles codecs only as far as the file format requires.
package mp4
