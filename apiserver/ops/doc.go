// SPDX-License-Identifier: Apache-2.0

// Package ops implements the operations of the API: one file per resource, each operation declared beside its handler.
// A handler gets an authorized caller and a validated body. It checks them against the state of the records, creates
// resources, and responds with views. Handlers are the front end's only writers of specs.
//
// Handlers do not wait for work to finish, with one exception: an edit waits for its slides, within limits, because its
// response shows the result.
package ops
