// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs etcd, kube-apiserver, kube-scheduler and some controllers of kube-controller-manager inside
// this process.
//
// The components are the published ones with their default settings. Comments explain each setting that differs. All of
// them listen on 127.0.0.1 only. The package does not run pods; package node does.
package controlplane
