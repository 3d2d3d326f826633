// SPDX-License-Identifier: Apache-2.0

// Package content writes texts, finds and draws pictures, and lays out the words on them: everything of a slide but its film.
//
// Packages:
//
//   - deck: says what a Slideshow's spec and status mean together
//   - embedding: tells how near texts are in meaning
//   - imagery: picks the background of every slide and prepares pictures for the canvas
//   - meaning: ranks a small catalog of described pictures and clips by what a query means
//   - overlay: puts text on pictures
//   - slides: chooses the backgrounds of a slideshow, draws its slides and stores them
//   - stock: finds pictures and clips that nobody had to bring
//   - textgen: is the port behind which the words of slideshows and videos are written
//   - textsearch: finds records by their words
//   - wordnet: reads the WordNet database as Debian's wordnet-base installs it
//
// It may import: api, catalog, process, kube, store, work, account, media. internal/testkit/layering holds this.
package content
