// SPDX-License-Identifier: Apache-2.0

// Package mp4 writes one kind of MP4: a film of one H.264 track and one AAC track that are whole before they are written.
//
// The index lies before the media, so that a film plays while it loads. There is no edit list, no date and no name of a program
// in it: pictures are shown in the order they are stored, at a constant rate, and the same tracks give the same bytes. Sound and
// picture lie side by side, a second at a time.
//
// The package neither reads MP4s nor knows anything about codecs beyond what the file has to say of them.
package mp4
