// SPDX-License-Identifier: Apache-2.0

// Package outbox records the events of an account in the blob store, in the order in which it receives them.
//
// The events of a namespace are in segments, the objects webhooks/NAMESPACE/NUMBER of the store. Numbers increase, and
// are times in microseconds, so that two managers never write the same number. A segment is one JSON document, written
// once and never changed. Concurrent calls of Record share a segment. A segment is deleted when all its events are
// older than Retention, and when the account of its namespace is deleted.
//
// The events are those of status.transitions of the objects. The id of an event is a hash of the object's uid, the
// sequence and the type, so the same transition always has the same id. Record omits events that are already recorded.
// It derives which from the segments themselves, which are read at the first use of a namespace. A crash between the
// write of a segment and anything else is therefore a repetition that changes nothing.
//
// One process, the leader, records and reads; others may call At. A former leader that still writes after a takeover
// adds segments that the new leader does not read. The new leader records the same transitions itself, with the same
// ids.
package outbox
