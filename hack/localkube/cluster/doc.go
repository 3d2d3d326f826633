// SPDX-License-Identifier: Apache-2.0

// Package cluster runs one local Kubernetes from one data folder: certificates, etcd, the API server, controllers,
// scheduler and the node. It starts them in the order of their dependencies and stops them in reverse order.
//
// All persistent data is in the data folder. A lock on the folder excludes a second process. After kill -9 the next
// start needs no repair: the lock, the processes and their mounts end with the process, and the node determines which
// pods were running.
package cluster
