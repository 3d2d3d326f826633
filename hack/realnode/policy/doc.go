// SPDX-License-Identifier: Apache-2.0

// Package policy enforces NetworkPolicies on the node's pods with nftables.
//
// All pods, namespaces and policies are translated into one table, which is replaced in one transaction when it
// changes. Packets are filtered after the resolution of Service addresses, so the actual peers count. A pod's policies
// are in force before its first packet: the CNI plugin in the folder plugin reports a new pod's address to the agent
// and waits.
//
// As in other implementations, packets of a connection that was allowed when it began pass, and the node itself reaches
// its pods (probes). Only IPv4 is supported, like on the node.
package policy
