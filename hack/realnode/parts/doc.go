// SPDX-License-Identifier: Apache-2.0

// Package parts runs the components of a Kubernetes node and its control plane: containerd, etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kubelet and kube-proxy. Each is a separate process with its own log. The
// package also provides what a cluster's provider usually supplies: DNS (CoreDNS in a pod), volumes (package volumes),
// and network policies (package policy).
//
// The package runs inside a space and uses all of it: addresses, ports and paths are constants. If one component ends,
// the node ends.
package parts
