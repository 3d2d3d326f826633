// SPDX-License-Identifier: Apache-2.0

// Package offline writes slideshows from the context alone, without a network or a model; the same input always has the
// same result. It edits the context: every sentence, number, link, name and list item appears on a slide or in the
// caption, in the original order. Content that does not fit is reported as omitted.
//
// The steps, each in its own file, are:
//
//   - clean: markup to plain lines
//   - blocks: lines to headings, items, pairs, sentences, verse and quotations
//   - brief: instructions to the writer are followed instead of printed
//   - cards: the content of single slides
//   - plan: cards are merged or split until their number matches the slides
//   - cta: the call to action
//   - caption and tags
//
// The package uses only words of the context, of the brand and of the small phrase tables. It rearranges text and never
// adds a fact.
package offline
