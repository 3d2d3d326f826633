// SPDX-License-Identifier: Apache-2.0

package tiktok

// PartSize is the size of all parts but the last, in bytes.
const PartSize = partSize

// CutAbove cuts videos of more than whole bytes into parts, so that videos of tests have several.
func (p *Platform) CutAbove(whole int64) { p.whole = whole }
