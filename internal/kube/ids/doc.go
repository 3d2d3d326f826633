// SPDX-License-Identifier: Apache-2.0

// Package ids allocates the integer ids of the API: one rising sequence for each number space, starting at 1.
//
// The state of a space is one ConfigMap in the system namespace, reelops-ids-<space>. Its data.next is the lowest id
// that is certainly unused. An allocator leases a block of ids by advancing data.next with optimistic concurrency, and
// returns the ids of the block from memory. An id is therefore never returned twice, even if several
// processes run, crash or lose the response to a write. The ids that remain of a block when its process ends are never used, so
// sequences have gaps.
//
// The ConfigMaps are the only record of used ids. Deleting one restarts its space at 1, except in processes that have
// leased from it before, which never move back. Ids do not show the order of creation across processes.
//
// An allocator needs to get, create and update ConfigMaps in the system namespace. This package does not create the
// namespace.
package ids
