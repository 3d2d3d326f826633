// SPDX-License-Identifier: Apache-2.0

// Package work runs renders and media work in pods. A pod reads an order and stores an outcome. The subpackages have
// the two documents, the Jobs of attempts, progress reports, and the confinement of programs that open files of users.
//
//	controller ── order ──▶ store ──▶ pod of a Job ── outcome ──▶ store ──▶ controller ── status
//	                                       └── progress ──▶ front end ── status.progress
//
// Packages:
//
//   - callback: signed URLs for progress reports, and the reports
//   - child: confined programs that open files of users
//   - confine: network policies of the pods
//   - order: the document with the work of a pod
//   - outcome: the document with the outcome of an attempt
//   - pod: the confined batch/v1 Jobs of attempts, and their state
//   - runner: creation, observation and cleanup of attempts
//
// It may import: api, catalog, process, kube, store. internal/testkit/layering enforces this.
package work
