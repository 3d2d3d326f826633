// SPDX-License-Identifier: Apache-2.0

// Package node is a small kubelet: it registers one Node, renews its Lease, and runs the containers of the pods bound
// to it as processes of this machine.
//
// Each pod has a worker: one goroutine that owns the pod's state and receives events (the object changed, a process
// started or ended, a timer fired). The worker decides with the pure functions of status.go, and patches the pod's
// status when it differs. While nothing happens, only the Lease is written.
//
// An image name is mapped to a program on this machine (Images). Package sandbox isolates the processes, package cgroup
// limits them. The node refuses pods with features that it does not support: their containers wait, with a message that
// names the feature (unsupported.go). It never runs a pod without a feature that the pod requests.
package node
