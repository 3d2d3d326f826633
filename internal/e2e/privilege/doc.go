// SPDX-License-Identifier: Apache-2.0

// Package privilege compares what the manager and the front end may do in a cluster with what they did. What they may is read from the
// roles in config/rbac, what they did from the audit log of kube-apiserver. Nothing may have been denied, and nothing may be granted
// that no run used, but for the exceptions of exceptions.yaml, each with its reason.
//
// It runs nothing itself: the end-to-end tests hand in the logs of all their clusters.
package privilege
