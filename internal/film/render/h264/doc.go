// SPDX-License-Identifier: Apache-2.0

// Package h264 joins and extends coded H.264 streams: it repeats pictures without coding them again, and writes pictures
// that are mostly displacements of others, or mixtures of such displacements.
//
// A repeated picture is written as a P picture in which every macroblock is skipped, a few bytes that make a decoder
// show the previous picture again. A second picture parameter set makes that possible next to CABAC pictures: it
// switches to CAVLC, where a run of skipped macroblocks is one number. The frame_num of later encoder pictures is
// increased, and a long repetition gets new key frames by copying the key frame that it began with.
//
// A moved picture (Moved) has a vector for each macroblock, and a residual where the caller wants one. It refers to the
// last picture of the encoder and is no reference itself, so its errors do not add up. Consecutive pictures of that kind
// require picture order counts. x264 omits them from a stream without B pictures, so the joiner adds them to the
// sequence parameter set and to every slice header.
//
// A blend is a moved picture between two segments. It is a B picture that refers to the last picture of the encoder in
// one segment and to the first one of the next segment, with explicit weights. That picture is stored before the blends
// and shown after them. It is then no key frame, because a key frame would drop the picture before it.
//
// Segments that were coded separately are concatenated. This works because each begins with a key frame and all have
// the same parameters.
//
// The package supports one shape of input stream, which x264 writes for High profile: progressive, 4:2:0, 8 bits, one
// slice per picture, one reference and no B pictures. The package verifies that shape while it reads and rejects
// everything else with ErrShape. It decodes no macroblock.
package h264
