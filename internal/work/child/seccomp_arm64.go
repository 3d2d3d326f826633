// SPDX-License-Identifier: Apache-2.0

package child

import "golang.org/x/sys/unix"

// kind is this processor's in what a filter is given.
const kind = unix.AUDIT_ARCH_AARCH64

// older are calls that newer processors never had.
var older []uint32
