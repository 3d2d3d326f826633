// SPDX-License-Identifier: Apache-2.0

// Package idempotency makes a request that is sent twice with one Idempotency-Key run once. The first answer is stored and
// replayed; a second request meanwhile is told that the first one runs; another body under the same key is refused.
//
// What is known of a key stands in an IdempotencyRecord in the account's namespace, named after a hash of the scope: API
// key, method, path and idempotency key. It goes through these states; each arrow is one write, guarded by the name or
// by the resourceVersion, so that of several replicas one wins and the others learn of it:
//
//	        Reserve                      Commit
//	absent ---------> held, object named --------> answered --(its time is over)--> absent
//	   ^                 |      ^  |
//	   +------ Abort ----+      +--+ Reserve of a later try, when the holder is gone
//
// The record is written before the object, and names it. So whatever dies, and whichever reply of the cluster is lost, a
// later try of the same request makes that very object or finds it there, and then stores the answer. An answer may be
// sent only after it was stored: all that callers ever see are copies of one answer. A request that is refused before it
// would create anything writes nothing.
//
// In one process a running request is known from memory: any number of others with its key are answered without asking
// the cluster, and those that come together for a stored answer share one read.
//
// Taking over from a holder that only seems dead is harmless for the same request: both make one object, and the answer
// stored first is the one that both send. Another request under the key could make a second object, so it waits until no
// call of the dead holder can arrive any more, and looks whether the object is there.
//
// The package knows no HTTP beyond the header's form, and no operation. Removing old records is the work of their
// controller.
package idempotency
