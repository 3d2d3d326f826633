// SPDX-License-Identifier: Apache-2.0

// Package lease decides which of several managers works, by a Lease of Kubernetes and the leader election of client-go.
//
// It differs from client-go's own lock in three places. A replaced manager hears of it at once, and not when its own deadline has
// passed. The time after which another takes over is apart from the time for which the one that works goes on when it cannot reach the
// cluster: the first is short, so that a manager that died is replaced soon; the second is long, so that a slow API server ends nobody.
// And a standby that could not read the Lease in time, or not at all, gives the one that works a whole term again: it was the API server
// that was silent, as far as anybody can tell.
//
// Two managers may work at once for as long as the second time, when the network parts one of them from the cluster. Nothing that must not
// happen twice may rest on this Lease; it saves work, and what protects posts is the ledger in their status.
package lease
