// SPDX-License-Identifier: Apache-2.0

// Package starter generates the media that every installation has before users upload files.
//
// Packages:
//
//   - avatar: draws the stock avatar clips
//   - music: composes the starter set of background music
//   - starterset: lists the clips and tracks of the starter set
//
// It may import: api, catalog, process, kube, store, work, account, media, content, film, social, automation.
// internal/testkit/layering holds this.
package starter
