// SPDX-License-Identifier: Apache-2.0

package tiktok

// CutInto makes parts of at most so many bytes, so that small films have several.
func (p *Platform) CutInto(most int64) { p.partSize = most }
