// SPDX-License-Identifier: Apache-2.0

// Package paint is the drawing library for the starter backgrounds.
//
// It uses a canvas of linear-light floating point colours. It mixes palettes in OKLab, so that gradients keep their
// brightness and saturation. Film grain and dithering prevent bands in a smooth sky after 8-bit rounding and video
// compression.
//
// All functions are pure functions of the canvas size and explicit seeds. Random numbers and noise come from integer
// hashes, no map is iterated, no clock is read, and rows are independent of each other, so the number of workers does
// not matter. On one processor architecture the same input has the same output bytes. Between architectures Go may fuse
// a multiplication with an addition, which can change a colour by one step of 255; the composition never changes.
//
// The package does not depend on the subjects; the scenes are in package starter.
package paint
