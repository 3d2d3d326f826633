// SPDX-License-Identifier: Apache-2.0

// Package apiserver is the front end: it turns requests into custom resources and custom resources into answers.
//
// It puts together three listeners: the public one (the interface, its description, signed pictures and films when the
// store is a folder), the internal one (reports of render pods) and the one for metrics and health. What each request may
// do is in auth, how requests are checked and answered in operation, what they do in ops, what is read in read
// and kept for lists in index, how often one may call in limit, what was answered before in idempotency, what is shown in
// view, what renderers report in renders.
//
// The front end does no work on content and holds no platform tokens. It writes specs, what it holds on an account's plan,
// the answers it remembers, and of other status only the use of API keys and what renderers report.
package apiserver
