// SPDX-License-Identifier: Apache-2.0

// Package ops is what the interface can do: one file a resource, each operation declared beside its handler. Handlers get
// a checked caller and a checked body; they hold it against the state of the records, create resources, and answer with
// views. They are the front end's only writers of spec. No handler waits for work to be
// done, but for one: an edit waits for its slides, within bounds, because its answer shows how they came out.
package ops
