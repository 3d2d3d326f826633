// SPDX-License-Identifier: Apache-2.0

// Package privilege compares the permissions of the manager and the front end with their requests. The permissions are
// read from the roles in config/rbac, the requests from the audit log of kube-apiserver. No request may be denied, and
// no permission may be unused in all runs, except for those in exceptions.yaml, each with its reason.
//
// The package runs nothing itself: the end-to-end tests pass the logs of all their clusters.
package privilege
