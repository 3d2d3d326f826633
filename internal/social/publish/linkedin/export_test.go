// SPDX-License-Identifier: Apache-2.0

package linkedin

import "time"

// SaveEvery records an upload after other numbers of bytes.
func (p *Platform) SaveEvery(bytes int64) { p.saveEvery = bytes }

// For tables of pure rules.
var (
	Little  = little
	Refused = refused
	Key     = key

	Spoken    = spoken
	ChangesOf = changesOf
)

// Tally is what LinkedIn says of a day.
type Tally = tally

// NewTally is n on a day.
func NewTally(day time.Time, n int64) Tally { return tally{day, n} }

// Whole says whether parts, as first and last bytes, are a file of the size.
func Whole(bounds [][2]int64, size int64) bool {
	parts := make([]part, len(bounds))
	for i, b := range bounds {
		parts[i] = part{First: b[0], Last: b[1]}
	}
	return whole(parts, size)
}
