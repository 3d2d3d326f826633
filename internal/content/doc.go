// SPDX-License-Identifier: Apache-2.0

// Package content writes texts, finds and draws images, and lays out the text on them: everything of a slide but its
// video.
//
// Packages:
//
//   - deck: interprets the spec and status of a Slideshow together
//   - embedding: compares texts by meaning
//   - imagery: picks the background of every slide and prepares images for the canvas
//   - meaning: ranks a small catalog of described images and clips by what a query means
//   - overlay: draws text on images
//   - slides: chooses the backgrounds of a slideshow, draws its slides and stores them
//   - stock: searches images and clips of stock providers
//   - textgen: defines the interface of the writers of texts for slideshows and videos
//   - textsearch: finds records by their words
//   - wordnet: reads the WordNet database as Debian's wordnet-base installs it
//
// It may import: api, catalog, process, kube, store, work, account, media. internal/testkit/layering holds this.
package content
