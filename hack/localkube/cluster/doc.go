// SPDX-License-Identifier: Apache-2.0

// Package cluster puts one local Kubernetes together in one data folder:
// certificates, etcd, the API server, controllers, scheduler and the node, in
// the order they need each other, and takes it apart in the other order.
//
// Everything that has to survive lies in the data folder. A lock on it keeps a
// second process out. After kill -9 the next start needs no repair: the lock,
// the processes and their mounts end with the process, and the node finds out
// which pods had been running.
package cluster
