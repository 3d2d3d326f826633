// SPDX-License-Identifier: Apache-2.0

// Package ids hands out the integer ids of the interface: one rising sequence for each number space, starting at 1.
//
// The state of a space is one ConfigMap in the system namespace, reelops-ids-<space>, whose data.next is the lowest id that
// nobody may have been given. An allocator leases a block of ids by moving data.next forward with optimistic concurrency, and
// hands out the block's ids from memory. An id is therefore never given twice, whatever number of processes run, crash or lose
// the answer to a write; what a process held of a block when it ended is never given at all, so sequences have gaps.
//
// The ConfigMaps are the only memory of what was given: deleting one starts its space again at 1, except in processes that
// have leased from it before, which never go back. Ids say nothing about order of creation across processes.
//
// An allocator needs to get, create and update ConfigMaps in the system namespace. The namespace is not created here.
package ids
