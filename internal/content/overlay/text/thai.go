// SPDX-License-Identifier: Apache-2.0

package text

func isThai(r rune) bool { return r >= 0x0E01 && r <= 0x0E5B && r != 0x0E3F }

// thaiWords returns the offsets in a run of Thai letters where a word begins; never 0. Words of the built-in list are
// matched so that as few letters as possible remain unmatched; the rest is split at syllables.
func thaiWords(run []rune) []int {
	n := len(run)
	const far = 1 << 30
	cost := make([]int, n+1)
	from := make([]int, n+1)
	for i := 1; i <= n; i++ {
		cost[i] = far
	}
	for i := range n {
		if cost[i] == far {
			continue
		}
		relax := func(to, c int) {
			if to <= n && thaiBorder(run, to) && cost[i]+c < cost[to] {
				cost[to], from[to] = cost[i]+c, i
			}
		}
		longest := min(thaiLongest, n-i)
		for k := 2; k <= longest; k++ {
			if thaiDictionary[string(run[i:i+k])] {
				relax(i+k, 2)
			}
		}
		for k := 1; k <= 8; k++ { // an unknown stretch has a high cost per letter, so that known words win
			relax(i+k, 5+3*k)
		}
	}
	if cost[n] == far {
		return nil
	}
	var out []int
	for at := from[n]; at > 0; at = from[at] {
		out = append(out, at)
	}
	return out
}

// thaiBorder reports whether a syllable may begin at the offset: not before a vowel or mark that belongs to the letter
// in front of it, not after a vowel that is written before its letter, not before a silenced letter.
func thaiBorder(run []rune, at int) bool {
	if at <= 0 || at >= len(run) {
		return true
	}
	before, after := run[at-1], run[at]
	switch {
	case after >= 0x0E2F && after <= 0x0E3A, after >= 0x0E45 && after <= 0x0E4E:
		return false // marks, following vowels, repetition, tone
	case before >= 0x0E40 && before <= 0x0E44:
		return false // leading vowels
	case before == 0x0E31, before == 0x0E37 && at == len(run):
		return false // mai han akat always has a final letter
	case at+1 < len(run) && run[at+1] == 0x0E4C:
		return false // the letter carries a silencing mark
	}
	return true
}
