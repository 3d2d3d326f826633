// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs etcd, kube-apiserver, kube-scheduler and a few
// controllers of kube-controller-manager inside this process.
//
// They are the real ones, as published, with their ordinary settings; what
// differs is said beside each setting. All of it listens on 127.0.0.1 only.
// The package does not run pods; that is the node's work.
package controlplane
