// SPDX-License-Identifier: Apache-2.0

// Package process is what any program of Reelops needs that serves, calls others and is watched: logs, metrics, traces, listeners, guarded
// and bounded calls, timers and fair queues. It knows nothing of content, posts or platforms.
//
// Packages:
//
//   - clockskew: measures by how much this process's clock differs from the API server's
//   - deadline: bounds the time of HTTP requests on servers for short exchanges
//   - due: remembers when things are to be looked at and says so at that time
//   - fairqueue: shares the workers of a controller
//   - fetch: is the one client that opens URLs which callers give
//   - flagenv: lets every flag of a program be given as an environment variable as well
//   - logging: makes the programs' log
//   - loopback: gives out TCP ports of 127.0.0.1 to programs that are started with a number
//   - metric: is the list of every metric that Reelops has
//   - modelapi: is what talking to any OpenAI-compatible server takes
//   - outcome: turns the error of a pass into what the work queue shall do
//   - serving: holds what listeners need to serve TLS
//   - tracing: follows one request through all of Reelops with OpenTelemetry
//   - version: says which release a program is of
//
// It may import: api, catalog. internal/testkit/layering holds this.
package process
