// SPDX-License-Identifier: Apache-2.0

package tiktok

// How a video is cut, in bytes. TikTok accepts one part of up to 64 MB. Of plans with more parts it has accepted only parts of 10 MB,
// with the remainder in the last one, since August 2026: equal parts are refused as "The chunk size is invalid".
const (
	wholeMax = 64_000_000
	partSize = 10_000_000
)

// partsPerCall bounds how many parts one call of Prepare sends: so that a large film does not hold whoever calls for minutes.
const partsPerCall = 8

// plan is how a video is cut: count parts of size bytes, the last of which also takes the remainder. count is total / size, rounded
// down. A video of one part has that part's size.
type plan struct {
	Total int64 `json:"total"`
	Size  int64 `json:"size"`
	Count int64 `json:"count"`
}

// cut plans a video of total bytes. Videos of up to whole bytes are sent in one part.
func cut(total, whole int64) plan {
	if n := total / partSize; total > whole && n > 1 {
		return plan{Total: total, Size: partSize, Count: n}
	}
	return plan{Total: total, Size: total, Count: 1}
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
