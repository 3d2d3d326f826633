// SPDX-License-Identifier: Apache-2.0

// Package postbatch creates the Posts of a PostBatch, one for each account, and reports their states.
//
// POST /posts creates a batch that records the content and the id of each post, and then the Posts from that record. If the
// front end does not finish, the controller creates the missing Posts three seconds later from the same record: with the
// same names, ids and content, although the short may have changed since. The Posts of a manifest are created when its short
// is ready, at the latest when the batch is due; the targets are resolved once and recorded in the status. A target whose
// account is not connected, or whose connection has ended, waits until the batch is due and does not delay the others; then
// it fails. A target that the rules of the platform refuse fails at once.
//
// If the archive holds the short that a batch names by id, the controller requests its restore, and waits for it until a
// minute after the batch is due.
//
// The names of Posts follow from the batch, the account and the time, or from the reserved ids. So a pass after a crash finds the Posts that
// exist, a restored batch adopts the Posts that were restored with it, and no Post is created twice.
//
// A batch that was created more than two minutes after its time never posts: its targets fail with missed_schedule, and no Post is created.
// Posts are held while the batch is suspended, or while the brand requires an approval and spec.approved is not set. Deleting a batch deletes
// the posts that are not sent yet and waits for those that are being sent.
//
// The controller writes the status of the batch, spec.restore of the Archive and, of its Posts, spec.hold and the owner; it deletes them with the batch. Each write has the
// resourceVersion that was read as its precondition, because the controller that sends a Post writes it under the same precondition: of the two
// only one succeeds. This package publishes nothing and knows no platform.
package postbatch
