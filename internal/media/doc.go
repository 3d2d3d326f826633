// SPDX-License-Identifier: Apache-2.0

// Package media ingests media files: it detects their type, checks their content, and stores the accepted files.
//
// Packages:
//
//   - intake: ingests the source file of an object
//   - probe: inspects clips and tracks of users
//   - sniff: detects the type of a file from its first bytes
//
// It may import: api, catalog, process, kube, store, work, account. internal/testkit/layering enforces this.
package media
