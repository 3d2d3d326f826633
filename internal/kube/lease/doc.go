// SPDX-License-Identifier: Apache-2.0

// Package lease elects the manager that works, with a Kubernetes Lease and the leader election of client-go.
//
// It differs from client-go's own lock in three ways:
//
//   - A replaced manager is notified at its next read of the Lease, before its renew deadline has passed.
//   - The lease duration and the renew deadline are separate. The lease duration is short, so that a dead manager is
//     replaced soon. The renew deadline is long, so that a slow API server stops no manager.
//   - A standby that could not read the Lease in time, or not at all, grants the holder another whole term. The API
//     server may have been unavailable to the holder as well.
//
// When the network separates one manager from the cluster, two managers may work at once for as long as the renew
// deadline. Nothing that must not happen twice may depend on this Lease. It saves work; the ledger in their status
// protects posts.
package lease
