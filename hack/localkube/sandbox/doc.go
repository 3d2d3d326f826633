// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs one program similarly to a container: with its own mounts, process ids, host name and /tmp, an
// unprivileged user, and control group limits.
//
// The program sees the host's /usr, /lib and /etc read-only, its volumes, and no other files of the host. It shares the
// host's network. When the calling process ends for any reason, the program and its descendants end too.
//
// The package has two parts. Keeper, in the calling process, forks from one thread that lives as long as the process,
// in a separate mount namespace. Init, in the child, builds the file system, drops privileges and executes the program.
// The calling binary has to call Init when its first argument is InitArg.
//
// Without the right to create namespaces, each program runs as a user of its own instead: see Users.
//
// The isolation is weaker than that of a container runtime: there is no seccomp filter, no user namespace and no
// network namespace.
package sandbox
