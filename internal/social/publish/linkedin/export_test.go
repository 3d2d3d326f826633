// SPDX-License-Identifier: Apache-2.0

package linkedin

import "time"

// SaveEvery sets the number of bytes after which an upload is recorded.
func (p *Platform) SaveEvery(bytes int64) { p.saveEvery = bytes }

// Functions for table tests.
var (
	Little  = little
	Refused = refused
	Key     = key

	Spoken    = spoken
	ChangesOf = changesOf
)

// Tally is LinkedIn's count for a day.
type Tally = tally

// NewTally returns the count n for a day.
func NewTally(day time.Time, n int64) Tally { return tally{day, n} }

// Whole reports whether parts, given as first and last bytes, form a file of the size.
func Whole(bounds [][2]int64, size int64) bool {
	parts := make([]part, len(bounds))
	for i, b := range bounds {
		parts[i] = part{First: b[0], Last: b[1]}
	}
	return whole(parts, size)
}
