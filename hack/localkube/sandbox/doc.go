// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs one program as if it were in a container: own mounts,
// own process ids, own host name, own /tmp, a user without privileges, limits
// by control group.
//
// The program sees the host's /usr, /lib and /etc read-only, the volumes it
// was given, and nothing else of the host's files. It shares the host's
// network. When the calling process ends, however it ends, the program and
// everything it started end too.
//
// The work is split in two. Keeper, in the calling process, forks from one
// thread that lives as long as the process, in a mount namespace of its own.
// Init, in the child, builds the view, gives up rights and becomes the
// program; it needs the calling binary to run Init when its first argument is
// InitArg.
//
// It is no security boundary to compare with a container runtime's: there is
// no seccomp filter, no user namespace and no network namespace.
package sandbox
