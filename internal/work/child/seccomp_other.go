// SPDX-License-Identifier: Apache-2.0

//go:build linux && !amd64 && !arm64

package child

// kind is 0 on architectures for which the filter was never tested.
const kind = 0

var legacyCalls []uint32
