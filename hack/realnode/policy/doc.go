// SPDX-License-Identifier: Apache-2.0

// Package policy enforces NetworkPolicies on the node's pods with nftables.
//
// Everything that is known (pods, namespaces, policies) becomes one table, which
// is replaced at once whenever that makes a difference. Packets are looked at
// after Services have been resolved, so that what counts is who talks to whom in
// fact. A pod's policies are in force before its first packet: the CNI plugin in
// the folder plugin tells the agent a new pod's address and waits.
//
// As everywhere, what is said on a connection that was allowed when it began
// goes through, and the node itself reaches its pods (probes). Addresses are
// IPv4, as the node's are.
package policy
