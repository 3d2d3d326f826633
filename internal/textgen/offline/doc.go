// SPDX-License-Identifier: Apache-2.0

// Package offline writes slideshows from the context alone: no network, no model, the same words every time.
//
// It works in steps, each a file: clean (markup to plain lines), blocks (lines to headings, items, pairs and sentences), brief
// (instructions to the writer are followed instead of printed), units (what could be a slide), pick (which and in what order),
// shape (how it fits on a slide), and caption and words for the rest. It says nothing that the context, the brand or the small
// phrase tables do not say: it chooses and arranges, and never invents a fact.
package offline
