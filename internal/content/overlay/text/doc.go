// SPDX-License-Identifier: Apache-2.0

// Package text turns strings into positioned glyphs: it finds the installed fonts, picks one for every cluster of a
// line, applies the bidirectional algorithm, shapes, and breaks lines. All lengths of a shaped text are in ems, so one
// shaping serves every size and what was measured is what is drawn.
//
// It does not draw, and it knows nothing of slides.
package text
