// SPDX-License-Identifier: Apache-2.0

// Package operation declares the API: each operation once, with its types, scope and handler. Routes, body validation
// and the OpenAPI description are derived from the declaration. So the published description matches the enforced
// behavior.
//
// A transport turns its request into a Call, and Handler.Run takes the call through one ordered list of steps to its
// Result. ServeHTTP does so for a REST request, a Session for each tool call of the MCP server. The handlers of the
// operations are in package ops.
package operation
