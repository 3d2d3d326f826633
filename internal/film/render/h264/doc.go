// SPDX-License-Identifier: Apache-2.0

// Package h264 joins coded H.264 streams and lengthens them: it repeats pictures without coding them again.
//
// A repeated picture is written as a P picture in which every macroblock is skipped, a few bytes that tell a decoder to show
// the picture before once more. A second picture parameter set makes that possible next to CABAC pictures: it switches to
// CAVLC, where a run of skipped macroblocks is one number. Pictures of the encoder that follow get their frame_num moved up,
// and a long repetition is given fresh key frames by copying the key frame it began with.
//
// Segments that were coded apart from each other are joined by putting them one after the other, because each begins with a key
// frame and all have the same parameters.
//
// The package knows one shape of stream, the one x264 writes for High profile, progressive, 4:2:0, 8 bits, one slice a
// picture, one reference and no B pictures, which implies that pictures are shown in the order they are coded. It verifies
// that shape while it reads and refuses everything else with ErrShape. It neither encodes nor decodes a macroblock.
package h264
