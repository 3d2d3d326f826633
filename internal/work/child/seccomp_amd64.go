// SPDX-License-Identifier: Apache-2.0

package child

import "golang.org/x/sys/unix"

// kind is this architecture in the data of a filter. The numbers of its second set of calls (x32) are larger than all
// others, and are therefore refused.
const kind = unix.AUDIT_ARCH_X86_64

// legacyCalls are calls that newer architectures never had.
var legacyCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS, unix.SYS_POLL, unix.SYS_SELECT,
	unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_EVENTFD, unix.SYS_PIPE, unix.SYS_DUP2, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_GETPGRP,
	unix.SYS_TIME, unix.SYS_ALARM, unix.SYS_PAUSE, unix.SYS_ARCH_PRCTL,
}
