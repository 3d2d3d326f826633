// SPDX-License-Identifier: Apache-2.0

// Package mcp is the MCP server: a second transport of the interface, for agents.
//
// A tool has no behaviour of its own. A tool call runs one of the interface's operations for the same caller, and its
// result is the envelope of that operation. So keys, scopes, brands, rate limits, idempotency, checks, errors, logs
// and metrics are the same as over REST. Input and output schemas are derived from the description of the operations,
// at start. This package holds which operations make a tool (tools.go), the descriptions for agents, and how
// arguments become a call (call.go).
//
// The server speaks streamable HTTP, keeps no MCP sessions and answers with JSON: any replica can answer any request.
package mcp
