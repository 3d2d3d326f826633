// SPDX-License-Identifier: Apache-2.0

// Package render draws the film a timeline describes and writes it as an MP4.
//
// Frames are made here, in Go, as planar YUV 4:2:0 in BT.709 limited range: a background is converted once, the layer of text
// is composed once and only its box is blended, a slow zoom samples the background between its pixels, and cross-fades are
// blended without leaving YUV. ffmpeg gets raw frames through a pipe and does what it is best at: H.264, AAC, loudness, the
// MP4 container. Its arguments are built from typed values; no text of a caller ever becomes an option, a file name or a
// filter.
//
// Footage is decoded by a confined ffmpeg of its own, clip by clip, to raw frames of the film: upright, cropped to cover the
// canvas, at the film's rate, in BT.709 whatever its light and colours were. Only the newest frame of a clip is kept. The words
// that come and go over it are layers, prepared when they are first seen. A recording of a screen, told from what a camera has taken by
// how much text there is, may be shown whole over a blurred copy of itself. An inset is footage with a decoder of its own, drawn into a
// rectangle with round corners.
//
// A film is cut into segments, each of which has an encoder of its own: its bytes follow from its own pictures alone. Segments
// are coded side by side, and a clip that is shown again is coded once. A picture that stands still is encoded once; package h264
// joins the segments and writes the frames that repeat it as skipped pictures, as long as the encoder's streams have the one
// shape that package knows. If they have another one, everything is encoded frame by frame. Package mp4 writes the file.
//
// The coded segments and the sound of a film may be kept in a pack, by their content. A film that shares some of them with the one
// before takes them from there, and is bit by bit the film that is made from nothing.
//
// Output: H.264 High, yuv420p, constant frame rate, closed groups of pictures that begin where a clip first stands alone and
// where a cross-fade begins, no edit lists; AAC 48 kHz stereo, silent without music and at -14 LUFS with it; fast start. The same
// timeline, inputs, options and ffmpeg give the same bytes, on however many processors.
//
// The package does not fetch, upload or report anything; cmd/renderer does that, by the documents of internal/work.
package render
