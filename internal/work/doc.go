// SPDX-License-Identifier: Apache-2.0

// Package work gives work to pods and takes its outcome: the documents that go in and out, pods and Jobs, the addresses they call back, and
// the confinement of programs that open files of users.
//
// Packages:
//
//   - callback: signs and checks the addresses at which a render pod reports
//   - child: runs programs on what a user brought
//   - confine: keeps pods that open files of users from talking to more than they need
//   - mediajob: does media work in confined Jobs
//   - mediawork: holds the words between the control plane and a renderer that looks at a file somebody brought
//   - renderpod: builds the confined batch/v1 Jobs in which files of users are opened and films are made
//   - workdoc: holds what the documents between the control plane and the pods of its Jobs have in common
//
// It may import: api, catalog, process, kube, store. internal/testkit/layering holds this.
package work
