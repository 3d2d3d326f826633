// SPDX-License-Identifier: Apache-2.0

// Package render renders the video of a timeline and writes it as an MP4.
//
// Frames are composed in Go, as planar YUV 4:2:0 in BT.709 limited range. A background is converted once. The text
// layer is composed once, and only its box is blended. A slow zoom samples the background between its pixels, and
// cross-fades are blended without leaving YUV. ffmpeg receives raw frames through a pipe, and does H.264, AAC,
// loudness and the MP4 container. Its arguments are built from typed values: no text of a caller becomes an option, a
// file name or a filter.
//
// Footage is decoded by a confined ffmpeg of its own, clip by clip, to raw frames of the video. These frames are
// upright, cover the canvas, and have the frame rate of the video and BT.709 colours. Only the newest frame of a clip
// is kept. Texts that are shown for a part of a clip are layers, prepared at their first frame. A screen recording may
// be shown whole over a blurred copy of itself; it is distinguished from camera footage by the amount of text. An
// inset is footage with a decoder of its own, drawn into a rectangle with round corners.
//
// A video is cut into segments. Each segment has an encoder of its own, so its bytes depend only on its own frames.
// Segments are encoded in parallel, and a clip that is shown again is encoded once. A still frame is encoded once:
// package h264 joins the segments and writes the repetitions as skipped pictures. Of a zoom, few frames are encoded. The
// others, and those of a cross-fade, are written as displacements and mixtures of the frames around them. This needs
// streams of the one shape that package h264 supports; otherwise everything is encoded frame by frame. Package mp4
// writes the file.
//
// The encoded segments and the sound of a video may be stored in a segment cache, by their content. A video that
// shares some of them with an earlier one reuses them, and has the same bytes as a video that is rendered without the
// cache.
//
// Output: H.264 High, yuv420p, constant frame rate, fast start, no edit lists. A closed group of pictures begins at each
// cut and at the frame before each cross-fade. A cross-fade with footage is encoded, and also ends with the beginning of
// a group. Sound is AAC 48 kHz stereo, silent without
// music and at -14 LUFS with it. The same timeline, inputs, options and ffmpeg give the same bytes, on any number of
// processors.
//
// The package does not fetch, upload or report anything; cmd/renderer does that, by the documents of internal/work.
package render
