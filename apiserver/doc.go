// SPDX-License-Identifier: Apache-2.0

// Package apiserver is the front end: it turns requests into custom resources and custom resources into responses.
//
// It combines three listeners. The public listener serves the API, its description, and signed images and videos if the
// blob store is a folder. The internal listener takes reports of render pods. The third serves metrics and health.
//
// Other packages do the work:
//
//   - auth: what each request may do
//   - console: the web console, with sign-in and sessions of users
//   - operation: how requests are validated and answered
//   - ops: what requests do
//   - read: what is read from the cluster; index: what is kept for lists
//   - limit: rate limits
//   - idempotency: stored responses for repeated requests
//   - view: the response documents
//   - renders: reports of render pods
//
// The front end does not process content and holds no platform tokens. It writes specs, quota reservations, idempotency
// records, the usage of API keys and what renderers report. It writes no other status.
package apiserver
