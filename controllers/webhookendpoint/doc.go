// SPDX-License-Identifier: Apache-2.0

// Package webhookendpoint records the events of an account and delivers them to its webhook endpoints.
//
// The Recorder copies the transitions that objects record in their status to the outbox of the account. It does so when
// it sees the object, when an endpoint is created, and before a finalizer is removed, so that neither a crash nor a
// deletion loses one. An account without endpoints has no outbox.
//
// The Reconciler delivers the recorded events of one endpoint in batches, and writes the results of a batch at once. A
// crash before that write repeats the batch, with the same ids. Endpoints do not wait for each other: each has its own
// worker while it waits for a response, and hosts have their own slots.
package webhookendpoint
