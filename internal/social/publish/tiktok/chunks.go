// SPDX-License-Identifier: Apache-2.0

package tiktok

// Part sizes of a video, in bytes. TikTok accepts one part of up to 64 MB. Since August 2026, TikTok accepts a video
// with several parts only if the parts have 10 MB and the last one also holds the remainder. Equal parts are refused as
// "The chunk size is invalid".
const (
	wholeMax = 64_000_000
	partSize = 10_000_000
)

// partsPerCall limits how many parts one call of Prepare sends, so that a large video does not block the caller for
// minutes.
const partsPerCall = 8

// plan describes how a video is split: count parts of size bytes, the last of which also holds the remainder. count is
// total / size, rounded down. A video of one part has that part's size.
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

// last returns the offset of the last part.
func (p plan) last() int64 { return (p.Count - 1) * p.Size }

// end returns the end of the part that contains the offset.
func (p plan) end(offset int64) int64 {
	if offset >= p.last() {
		return p.Total
	}
	return (offset/p.Size + 1) * p.Size
}

// whole reports whether the count means that every byte has arrived. TikTok's number may be the number of bytes or the
// position of the last one.
func (p plan) whole(uploaded int64) bool { return uploaded >= p.Total-1 }

// reached returns the offset at which an upload resumes, from TikTok's number. If the number is the position of a
// part's last byte, the offset is the end of that part.
func (p plan) reached(uploaded int64) int64 {
	if uploaded > 0 && (uploaded+1)%p.Size == 0 && uploaded+1 <= p.last() {
		return uploaded + 1
	}
	return uploaded
}
