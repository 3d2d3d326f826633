// SPDX-License-Identifier: Apache-2.0

package tiktok

// PartSize is the size of all parts but the last, in bytes.
const PartSize = partSize

// CutAbove splits videos of more than whole bytes, so that the small videos of tests have several parts.
func (p *Platform) CutAbove(whole int64) { p.whole = whole }
