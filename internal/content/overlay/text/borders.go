// SPDX-License-Identifier: Apache-2.0

package text

// ThaiBorders gives the offsets, inside a stretch of Thai letters, at which a word begins; never 0. Thai is written without
// spaces between words. Words that are not in the built-in list are cut at borders of syllables.
func ThaiBorders(run []rune) []int { return thaiWords(run) }

// IsThai tells whether a rune is one of those that such a stretch is made of.
func IsThai(r rune) bool { return isThai(r) }
