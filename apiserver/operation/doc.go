// SPDX-License-Identifier: Apache-2.0

// Package operation declares the interface: each operation once, with its types, scope and handler. Routes, body
// checks and the OpenAPI description all follow from the declaration, so what is published is what is enforced.
//
// A transport turns its request into a Call, and Handler.Run takes the call through one ordered list of steps to its
// Result: ServeHTTP does so for a REST request, a Session for each tool call of the MCP server. The handlers of the
// operations are in package ops.
package operation
