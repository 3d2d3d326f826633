// SPDX-License-Identifier: Apache-2.0

package child

import "golang.org/x/sys/unix"

// kind is this processor's in what a filter is given. The second set of calls that it has (x32) has numbers beyond all others, and is
// thereby refused.
const kind = unix.AUDIT_ARCH_X86_64

// older are calls that newer processors never had.
var older = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS, unix.SYS_POLL, unix.SYS_SELECT,
	unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_EVENTFD, unix.SYS_PIPE, unix.SYS_DUP2, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_GETPGRP,
	unix.SYS_TIME, unix.SYS_ALARM, unix.SYS_PAUSE, unix.SYS_ARCH_PRCTL,
}
