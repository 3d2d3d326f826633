// SPDX-License-Identifier: Apache-2.0

// Package starter draws and composes what every installation has before anybody brings a file.
//
// Packages:
//
//   - avatar: draws the stock avatar clips
//   - music: composes the starter set of background music
//   - starterset: lists what an installation has before anybody brought something
//
// It may import: api, catalog, process, kube, store, work, account, media, content, film, social. internal/testkit/layering holds this.
package starter
