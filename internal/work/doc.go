// SPDX-License-Identifier: Apache-2.0

// Package work runs work in pods: an order goes into a pod, and an outcome comes out. It has the two documents, the
// Jobs of attempts, the progress that pods report, and the confinement of programs that open files of users.
//
//	controller ── order ──▶ store ──▶ pod of a Job ── outcome ──▶ store ──▶ controller ── status
//	                                       └── progress ──▶ front end ── status.progress
//
// Packages:
//
//   - callback: signs and checks the URLs at which a render pod reports its progress
//   - child: runs programs on what a user brought
//   - confine: keeps pods that open files of users from talking to more than they need
//   - order: is the document with the work of a pod
//   - outcome: is the document with the end of an attempt
//   - pod: builds the confined batch/v1 Jobs of attempts, and reads how they end
//   - runner: creates and follows the Jobs of attempts, and removes what only they needed
//
// It may import: api, catalog, process, kube, store. internal/testkit/layering holds this.
package work
