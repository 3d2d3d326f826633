// SPDX-License-Identifier: Apache-2.0

// Package order is the document with the work of the pod of a Job: the kind of work, where its files are, where
// its results go, and its limits. The manager writes one order for each attempt, and the renderer reads it.
//
// Reading is strict: an unknown field, a second document or a value out of bounds is an error. Two releases that do
// not know each other's orders report that instead of doing other work.
//
// URLs in an order are signed and therefore secrets. Redact returns the part of a URL that a log or a message may
// contain.
package order
