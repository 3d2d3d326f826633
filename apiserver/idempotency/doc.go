// SPDX-License-Identifier: Apache-2.0

// Package idempotency makes a request that is sent twice with one Idempotency-Key run once. The first response is
// stored and replayed. A second request that arrives in the meantime gets an error: the first one is still running.
// Another body under the same key is refused.
//
// The state of a key is an IdempotencyRecord in the account's namespace. Its name is a hash of the scope: API key,
// method, path and idempotency key. Each arrow below is one write, guarded by the name or by the resourceVersion. So
// one of several replicas wins and the others detect the conflict:
//
//	        Reserve                      Commit
//	absent ---------> held, object named --------> answered --(expired)--> absent
//	   ^                 |      ^  |
//	   +------ Abort ----+      +--+ Reserve of a retry, when the holder has ended
//
// The record is written before the object, and names it. So after a crash or a lost reply of the cluster, a retry of
// the same request creates or finds that object and then stores the response. A response may be sent only after it was
// stored, so callers see copies of one response only. A request that is refused before it would create anything writes
// nothing.
//
// Within a process, running requests are tracked in process. Further requests with the key are answered without a call
// to the cluster. Concurrent requests for a stored response share one read.
//
// Taking over from a holder that only seems dead is harmless for the same request: both create the same object, and
// both send the response that was stored first. Another request under the key could create a second object. So it waits
// until no call of the dead holder can still arrive, and checks whether the object exists.
//
// The package depends on the form of the header, and on no other part of HTTP or of the operations. The record
// controller deletes expired records.
package idempotency
