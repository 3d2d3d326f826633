// SPDX-License-Identifier: Apache-2.0

// Package atrest counts what the manager and the front end write to the cluster while nothing happens. It should be nothing.
//
// It starts a kube-apiserver that keeps an audit log, lets the real manager make one slideshow, and copies that as often as
// asked, status and all, while the manager is away. Then both programs run over shorts that are as the manager leaves them,
// and every request that changed anything stands in the audit log; only what kube-apiserver writes for itself is left out. There is no node: renders are
// not made here.
//
// The end-to-end tests use it for a moment, hack/benchapi for ten minutes with ten thousand shorts.
package atrest
