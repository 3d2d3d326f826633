// SPDX-License-Identifier: Apache-2.0

package tiktok

// partSize is the largest part that is planned, in bytes. TikTok takes parts of 5 to 64 MB, the last up to 128 MB. Small ones leave
// little to be sent at the post's time, and lose little when a line breaks; no plan has parts of less than half of it.
const partSize = 16_000_000

// partsPerCall bounds how many parts one call of Prepare sends: so that a large film does not hold whoever calls for minutes.
const partsPerCall = 8

// plan is how a film is cut: count parts, all of size bytes but the last, which takes what is left. It satisfies both of TikTok's
// wordings of the rule, count = floor(total / size) and size = floor(total / count), so a film of one part has that part's size.
type plan struct {
	Total int64 `json:"total"`
	Size  int64 `json:"size"`
	Count int64 `json:"count"`
}

func cut(total, most int64) plan {
	n := max(1, (total+most-1)/most)
	return plan{Total: total, Size: total / n, Count: n}
}

// last is the offset of the last part.
func (p plan) last() int64 { return (p.Count - 1) * p.Size }

// end of the part that the offset lies in.
func (p plan) end(offset int64) int64 {
	if offset >= p.last() {
		return p.Total
	}
	return (offset/p.Size + 1) * p.Size
}

// whole says whether the count means that every byte has arrived. TikTok's number may be how many bytes there are or the place of the
// last of them.
func (p plan) whole(uploaded int64) bool { return uploaded >= p.Total-1 }

// reached is the offset at which an upload goes on, by TikTok's number: the border of a part, when the number names its last byte.
func (p plan) reached(uploaded int64) int64 {
	if uploaded > 0 && (uploaded+1)%p.Size == 0 && uploaded+1 <= p.last() {
		return uploaded + 1
	}
	return uploaded
}
