// SPDX-License-Identifier: Apache-2.0

// Package order defines the document with the work of a pod: the kind of work, the URLs of its files and results, and
// its limits. The manager writes one order for each attempt, and the renderer reads it.
//
// Parsing is strict: an unknown field, a second document or a value out of bounds is an error. A manager and a renderer
// of different releases therefore report an error and never do other work.
//
// URLs in an order are signed and therefore secrets. Redact returns the part of a URL that a log or a message may
// contain.
package order
