// SPDX-License-Identifier: Apache-2.0

// Package mp4 writes one kind of MP4: a video of one H.264 track and one AAC track that are complete before they are
// written.
//
// The index precedes the media, so that a video plays while it loads. There is no edit list, no date and no program
// name in the file: the first picture is shown at time 0, pictures are shown at a constant rate, and the same tracks give
// the same bytes. Sound and pictures are interleaved, a second at a time.
//
// A picture may be stored before pictures that are shown before it. The times from decoding to display are then signed,
// as in the profile cmf2 of CMAF (ISO/IEC 23000-19): so the first picture is still shown at time 0 without an edit list.
//
// The package does not read MP4s, and handles codecs only as far as the file format requires.
package mp4
