// SPDX-License-Identifier: Apache-2.0

// Package space gives a node a machine of its own to stand on: its own tree of
// processes, mounts, network and host name, a wire to the machine, and a
// control group.
//
// The kernel takes almost all of it back by itself: the first process of the
// space ends with the process that started it, everything else in the space ends
// with the first process, and mounts, links, routes, rules and addresses end
// with the space. Only the control groups and the data folder stay; Sweep
// removes the former.
//
// The package does not know what runs inside.
package space
