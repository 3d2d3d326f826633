// SPDX-License-Identifier: Apache-2.0

// Package pressure protects the front end when the cluster is slow or unavailable, and sheds load when too many calls
// are in flight.
//
// A Gate observes the cluster's responses. When a response is missing or bad, the gate probes the cluster with a small
// request. If the probe fails too, the cluster is away. Then changing calls are refused at admission and reading calls
// are served from the caches, without a request to the cluster. The gate keeps probing and recovers without
// intervention.
//
// The gate also counts the calls in flight and refuses calls above the limit at once. A queue would delay all of them,
// and its memory use could end the process.
//
// The error responses and the handling of calls are not part of this package.
package pressure
