// SPDX-License-Identifier: Apache-2.0

// Package process contains what any long-running program of Reelops needs: logs, metrics, traces, listeners, guarded
// HTTP clients, timers and fair queues. It does not depend on content, posts or platforms.
//
// Packages:
//
//   - clockskew: measures the difference between this process's clock and the API server's
//   - deadline: limits the duration of HTTP requests
//   - due: calls back for keys when they become due
//   - fairqueue: shares the workers of a controller among accounts
//   - fetch: fetches URLs that callers supply, and blocks internal addresses
//   - flagenv: sets the flags of a program from environment variables
//   - logging: creates the log of a program
//   - loopback: allocates free TCP ports on 127.0.0.1
//   - metric: defines all metrics
//   - modelapi: is the shared client code for OpenAI-compatible servers
//   - outcome: converts an error of a reconcile to a result for the work queue
//   - periodic: repeats passes that delete what nothing needs any more
//   - serving: provides TLS for listeners, and access control for metrics
//   - tracing: traces a request through all components with OpenTelemetry
//   - version: reports the release of a program
//
// It may import: api, catalog. internal/testkit/layering enforces this.
package process
