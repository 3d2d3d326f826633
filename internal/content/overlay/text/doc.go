// SPDX-License-Identifier: Apache-2.0

// Package text converts strings to positioned glyphs. It finds the installed fonts, selects one for every cluster of a
// line, applies the bidirectional algorithm, shapes the text and breaks lines. All lengths of a shaped text are in ems,
// so one shaping serves every size, and drawing matches measuring.
//
// It does not draw and does not depend on slides.
package text
