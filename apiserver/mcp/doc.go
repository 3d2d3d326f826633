// SPDX-License-Identifier: Apache-2.0

// Package mcp is the tool server: the interface's other door, for agents that speak the Model Context Protocol.
//
// A tool has no behaviour of its own. Its call becomes a request to one of the interface's operations, in the name of who
// called, and the answer is that operation's envelope: keys, scopes, brands, ceilings, idempotency, checks, errors, logs
// and counts are those of the operation because they are made there. Input and output schemas are read from the
// description of the operations, at start. What is written here is which operations make a tool (tools.go), what an agent
// is told of it, and how arguments become a request (call.go).
//
// The server speaks streamable HTTP, keeps no sessions and answers with JSON: any replica can take any request.
package mcp
