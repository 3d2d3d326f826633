// SPDX-License-Identifier: Apache-2.0

// Package edge limits client connections and replaces the plain-text errors of net/http by the API's error envelope.
//
// The net/http server answers some requests itself, in plain text, before a handler runs: unreadable requests,
// oversized headers, other versions of HTTP and unknown expectations. Clients should get the error envelope there too,
// so Listener replaces those few known texts. The status that net/http chose and the end of the connection stay the
// same.
//
// Two cases get no response, as in net/http. A client that sends nothing, or stops in the middle of the headers, is
// disconnected after a timeout. So is one that keeps sending headers without reading the refusal. Paths, methods,
// bodies and callers are not handled here.
package edge
