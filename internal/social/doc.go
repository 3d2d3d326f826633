// SPDX-License-Identifier: Apache-2.0

// Package social covers everything on the social platforms: connections and tokens, posting rules, publishing, pacing,
// analytics, and the sandbox that simulates the platforms.
//
// Packages:
//
//   - analytics: reads the analytics of an account's posts
//   - consent: creates and reads the tokens of the OAuth consent flow
//   - credential: stores and renews the OAuth tokens of accounts
//   - pacing: decides when a post may be published
//   - photoset: converts the images of a photo set to the formats that a platform accepts
//   - platforms: creates the platform adapters from a program's flags
//   - posting: implements the posting rules as pure functions
//   - publish: defines the interface to the platforms, and implements it for each of them
//   - sandbox: simulates the platforms for trials, demos and tests
//
// It may import: api, catalog, process, kube, store, work, account, media, content, film. internal/testkit/layering
// enforces this.
package social
