// SPDX-License-Identifier: Apache-2.0

package text

// ThaiBorders returns the offsets in a run of Thai letters at which a word begins; never 0. Thai is written without
// spaces between words. Words that are not in the built-in list are split at syllables.
func ThaiBorders(run []rune) []int { return thaiWords(run) }

// IsThai reports whether a rune belongs to such a run.
func IsThai(r rune) bool { return isThai(r) }
