// SPDX-License-Identifier: Apache-2.0

// Package imagery chooses the background of every slide and prepares images for the canvas.
//
// Choose assigns candidate images to slides by their fit. It is pure, and the candidates may come from any provider.
// Package meaning measures the fit. DecodeLimited reads an image from an untrusted source within limits, and Crop fits
// any image to a canvas. The subpackage starter draws the built-in backgrounds with package paint.
//
// The package fetches nothing and stores nothing.
package imagery
