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
// that come and go over it are layers, prepared when they are first seen.
//
// A picture that stands still is encoded once. The frames that repeat it are written as skipped pictures by package h264, as
// long as the encoder's stream has the one shape that package knows; every other stream is encoded frame by frame.
//
// Output: H.264 High, yuv420p, constant frame rate, closed groups of pictures that begin where a clip first stands alone, no
// edit lists; AAC 48 kHz stereo, silent without music and at -14 LUFS with it; fast start. The same timeline, inputs, options
// and ffmpeg give the same bytes.
//
// The package does not fetch, upload or report anything; package renderwork has the words for that and cmd/renderer does it.
package render
