// SPDX-License-Identifier: Apache-2.0

// Package slides draws the slides of a slideshow. It chooses their backgrounds, lays out their texts, and stores the
// images.
//
// A drawing has four steps. Images.Gather fetches images of stock providers. NewDrawing collects the complete input of
// the slides of a revision. Images.Create creates AI images. Drawer.Draw draws and stores the slides. Every blob has a
// name that depends on its content, so each step can be repeated after a crash.
//
// Drawer.Preview draws one slide of an edit without storing anything.
//
// ReadInputs reads the objects of the cluster that a drawing depends on. The rest of the package reads and writes only
// the blob store. The caller writes the status.
package slides
