// SPDX-License-Identifier: Apache-2.0

// Package mcp is the MCP server: a second transport of the API, for agents.
//
// A tool has no behavior of its own. A tool call runs one of the API's operations for the same caller, and its result
// is the envelope of that operation. So keys, scopes, brands, rate limits, idempotency, validation, errors, logs and
// metrics are the same as over REST. Input and output schemas are derived from the description of the operations at
// start. This package defines the operations behind each tool (tools.go), the descriptions for agents, and how
// arguments become a request (call.go).
//
// The server implements streamable HTTP, keeps no MCP sessions and responds with JSON. So any replica can serve any
// request.
package mcp
