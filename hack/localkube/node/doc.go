// SPDX-License-Identifier: Apache-2.0

// Package node is a small kubelet: it registers one Node, keeps its Lease, and
// runs the containers of the pods bound to it as processes of this machine.
//
// Each pod has a worker: one goroutine that owns the pod's state, takes events
// (the object changed, a process started or ended, a timer fired), decides with
// the pure functions of status.go, and patches the pod's status when it
// differs. Nothing is written while nothing happens, except the Lease.
//
// An image name stands for a program on this machine (Images). Sandboxing is
// the sandbox package's work, limits are the cgroup package's. What the node
// cannot do faithfully it refuses, with a waiting container that says what
// (unsupported.go); it never runs a pod in a way the pod did not ask for.
package node
