// SPDX-License-Identifier: Apache-2.0

// Package postbatch makes the Posts of a PostBatch, one for each account, and tells how they stand.
//
// A batch is taken up when its short is ready, at the latest when it is due: then its targets are resolved, once, and written into the
// status. A target whose account is not connected, or whose connection has ended, waits there until it is due and does not delay the
// others; then it fails. A target that the platform's rules refuse fails at once. The Posts have names that
// follow from the batch, the account and the time, or the ids that the front end reserved. So a pass that died after some of them finds
// those again, a batch that was restored from a backup adopts the Posts that were restored with it, and nothing is made twice.
// What the front end accepted it makes itself; this controller makes what a crash there left out, after a moment.
//
// A batch that was made more than two minutes after its time never posts: its lines fail with missed_schedule, and no Post is made.
// Posts are held back while the batch is suspended, or while the brand wants an approval and spec.approved is not set. Deleting a batch
// deletes what has not gone out and waits for what is on its way.
//
// The controller writes the status of the batch and, of its Posts, spec.hold and the owner, and deletes them with the batch; each write
// is guarded by the resourceVersion, because whoever sends a Post does it too: never both. It publishes nothing and knows no platform.
package postbatch
