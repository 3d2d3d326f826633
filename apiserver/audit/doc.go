// SPDX-License-Identifier: Apache-2.0

// Package audit writes down every change that the front end makes for somebody: who asked for it, in which request, what
// object it was and what of it became different. Each is one line of JSON, and an Event of Kubernetes on the object, where
// kubectl shows it.
//
// It stands where changes are made, and not where they are asked for: Log.Client wraps the client that operations write with.
// So a change cannot be forgotten, and what is not a change is not told: a request that was refused, or one that got the
// answer of an earlier run. Who asks stands in the context; package operation puts it there.
//
// What is no change of somebody's object has no line: statuses, idempotency records, leased ids, the use of keys. Nothing is
// kept here: where the lines go, and how long they are kept, is the installation's own business.
package audit
