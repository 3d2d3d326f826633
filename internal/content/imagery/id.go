// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"crypto/sha256"
	"encoding/binary"
)

// StableID returns the API's numeric ID of a provider's image. It is derived only from the provider and the provider's
// own ID, so every installation and every search has the same number without storing anything.
//
// The result is in [2^52, 2^53). A JSON number represents it exactly, and it never collides with the small sequential
// numbers of uploaded media.
func StableID(provider, externalID string) int64 {
	h := sha256.New()
	h.Write([]byte(provider))
	h.Write([]byte{0}) // keeps ("ab", "c") and ("a", "bc") apart
	h.Write([]byte(externalID))
	return int64(binary.BigEndian.Uint64(h.Sum(nil))&(1<<52-1) | 1<<52)
}
