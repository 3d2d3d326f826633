// SPDX-License-Identifier: Apache-2.0

package child

import "golang.org/x/sys/unix"

// kind is this architecture in the data of a filter.
const kind = unix.AUDIT_ARCH_AARCH64

// legacyCalls are calls that newer architectures never had.
var legacyCalls []uint32
