// SPDX-License-Identifier: Apache-2.0

// Package imagery picks the background of every slide and prepares pictures for
// the canvas.
//
// Choose assigns candidate pictures to slides by how well each fits; it is pure, and
// the candidates may come from any provider. Package meaning measures the fit.
// DecodeLimited reads a
// picture from outside without trusting its size, and Crop fits any picture to a
// canvas. Package starter, below this one, draws the built-in backgrounds with
// the kit in package paint.
//
// The package fetches nothing and stores nothing.
package imagery
