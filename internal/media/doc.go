// SPDX-License-Identifier: Apache-2.0

// Package media takes in files: their type, their content, and what of them is kept.
//
// Packages:
//
//   - intake: takes a file in that somebody brought
//   - probe: looks at clips and tracks that somebody brought
//   - sniff: tells from a file's first bytes what it is
//
// It may import: api, catalog, process, kube, store, work, account. internal/testkit/layering holds this.
package media
