// SPDX-License-Identifier: Apache-2.0

// Package atrest counts what the manager and the front end write to the cluster when nothing changes. The expected
// number is zero.
//
// The package starts a kube-apiserver with an audit log. The real manager creates one slideshow. While the manager is
// stopped, the package copies the slideshow with its status as often as requested. Then both programs run with these
// shorts, and the audit log shows every change. Only kube-apiserver's own writes are excluded. There is no node, so
// nothing is rendered.
//
// The end-to-end tests run it for a moment, hack/benchapi for ten minutes with ten thousand shorts.
package atrest
