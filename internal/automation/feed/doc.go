// SPDX-License-Identifier: Apache-2.0

// Package feed reads RSS (0.9 to 2.0), Atom and JSON feeds of untrusted servers.
//
// Package fetch makes every request, and refuses private addresses. Bytes, items, text lengths, nesting,
// redirects and time are limited. A response is never rendered or executed: the texts of an item are plain text.
//
// State holds what the next request needs to be conditional (ETag, Last-Modified). The package keeps none itself.
package feed
