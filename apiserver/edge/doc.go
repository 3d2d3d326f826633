// SPDX-License-Identifier: Apache-2.0

// Package edge is where connections come in: what a connection may cost, and the answer to what is no request.
//
// The server of net/http answers some requests itself, in plain text, before any handler sees them: those it cannot read,
// whose headers are too large, that speak another version of HTTP or expect what it does not know. A client of the
// interface shall find the envelope there too, so Listener writes the envelope in the place of those few known texts. The
// status, which net/http chooses, stays, and so does the end of the connection.
//
// Two silences remain: who sends nothing, or stops in the middle of the headers, is hung up on after a while without a
// word, as net/http does it; and so is who sends its headers faster than it reads the refusal. Paths, methods, bodies and
// callers are not known here.
package edge
