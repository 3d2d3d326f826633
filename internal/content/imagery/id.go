// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"crypto/sha256"
	"encoding/binary"
)

// StableID gives a provider's picture the number it is known by on the API. It
// is derived from the provider and the provider's own ID alone, so every
// installation and every search gives the same number without storing anything.
//
// The result lies in [2^52, 2^53): a JSON number carries it exactly, and it never
// meets the small numbers handed out one by one to uploaded media.
func StableID(provider, externalID string) int64 {
	h := sha256.New()
	h.Write([]byte(provider))
	h.Write([]byte{0}) // keeps ("ab", "c") and ("a", "bc") apart
	h.Write([]byte(externalID))
	return int64(binary.BigEndian.Uint64(h.Sum(nil))&(1<<52-1) | 1<<52)
}
