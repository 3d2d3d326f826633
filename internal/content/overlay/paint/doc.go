// SPDX-License-Identifier: Apache-2.0

// Package paint rasterises glyph outlines, their strokes and soft shadows to masks, and composes colours through masks
// onto a layer with straight alpha. All coordinates are in pixels and come from the caller.
package paint
