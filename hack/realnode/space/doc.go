// SPDX-License-Identifier: Apache-2.0

// Package space gives a node its own machine-like environment: its own process tree, mounts, network and host name, a
// link to the machine, and a control group.
//
// The kernel removes almost all of it automatically. The first process of the space ends with the process that started
// it. All other processes in the space end with the first process. Mounts, links, routes, rules and addresses end with
// the space. Only the control groups and the data folder remain; Sweep removes the control groups.
//
// The package is independent of the programs that run inside.
package space
