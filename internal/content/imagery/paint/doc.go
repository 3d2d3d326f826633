// SPDX-License-Identifier: Apache-2.0

// Package paint is the small drawing kit behind the starter backgrounds.
//
// It works on a canvas of linear-light floating point colours, mixes palettes in
// OKLab so that gradients keep their brightness and never turn muddy, and ends
// with film grain and dithering so that a smooth sky shows no bands after 8-bit
// rounding and video compression.
//
// Everything is a pure function of the canvas size and explicit seeds: random
// numbers and noise come from integer hashes, no map is iterated, no clock is
// read, and rows are independent of each other, so the number of workers does not
// matter. On one processor architecture the same input gives the same bytes.
// Between architectures Go may fuse a multiplication with an addition, which can
// move a colour by one step of 255; composition never changes.
//
// The kit knows nothing about what is drawn; scenes live in package starter.
package paint
