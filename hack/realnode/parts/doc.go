// SPDX-License-Identifier: Apache-2.0

// Package parts runs what a Kubernetes node and its control plane are made of:
// containerd, etcd, kube-apiserver, kube-controller-manager, kube-scheduler,
// kubelet and kube-proxy, each a process of its own with a log of its own, and
// what stands in for what a cluster's provider brings: names (CoreDNS in a pod),
// volumes (package volumes), network policies (package policy).
//
// It runs inside a space and takes the whole of it for its own: addresses,
// ports and paths are constants. One part that ends ends the node.
package parts
