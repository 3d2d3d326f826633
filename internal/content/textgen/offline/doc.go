// SPDX-License-Identifier: Apache-2.0

// Package offline writes slideshows from the context alone: no network, no model, the same words every time. It is an
// editor: every sentence, figure, link, name and list item of the context stands on a slide or in the caption, in its
// order, and what does not fit is reported as omitted.
//
// It works in steps, each a file: clean (markup to plain lines), blocks (lines to headings, items, pairs, sentences,
// verse and quotations), brief (instructions to the writer are followed instead of printed), cards (what one slide
// could show), plan (cards put together or parted until they are as many as the slides), cta (the closing call),
// caption and tags. It uses no word that the context, the brand or the small phrase tables do not use: it arranges, and
// never invents a fact.
package offline
