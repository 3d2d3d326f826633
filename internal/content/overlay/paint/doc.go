// SPDX-License-Identifier: Apache-2.0

// Package paint makes masks of glyph outlines, their strokes and soft shadows, and lays colours through masks on a
// layer with straight alpha. It places nothing: callers give pixels.
package paint
