// SPDX-License-Identifier: Apache-2.0

// Package mediawork holds the words between the control plane and a renderer that looks at a file somebody brought, makes an
// item of the starter set, or says a text: the order, which says what to do and where the files are, and the outcome, which says
// what the file is and when its words are heard, or why it cannot be used or made.
//
// The manager writes orders, the renderer reads them. The renderer leaves the outcome in its pod's termination message, and
// the manager reads it there: a pod that is lost before it has said anything is tried again. There is no callback.
//
// An order of this package says its kind, an order of a render does not: KindOf tells the two apart, so that a pod needs one
// address whatever it works on. Reading is strict: an unknown field, a second document or a value out of bounds is an error.
//
// URLs in an order are signed and therefore secrets.
package mediawork
