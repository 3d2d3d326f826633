// SPDX-License-Identifier: Apache-2.0

// Package renderwork holds the words between the control plane and a renderer: the order, which says what to make, where to
// get it and where to put it, and the report, which says how far it is and how it ended.
//
// The manager writes orders, the renderer reads them; the renderer writes reports, the front end reads them. Reading is
// strict: an unknown field, a second document or a value out of bounds is an error, so that two versions that do not
// understand each other say so.
//
// URLs in an order are signed and therefore secrets. Redact gives a URL without its signature; nothing else of it may reach a
// log or a message.
package renderwork
