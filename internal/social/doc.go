// SPDX-License-Identifier: Apache-2.0

// Package social is what happens on platforms: connections and tokens, rules of posts, publishing, pacing, numbers, and the sandbox that stands in
// for the platforms.
//
// Packages:
//
//   - analytics: reads what people did with an account's posts
//   - consent: is what goes round while a person lets an installation post for an account
//   - credential: keeps the permissions that people gave
//   - pacing: says whose turn it is to publish
//   - photoset: makes the pictures of a photo set as a platform takes them
//   - platforms: turns a program's flags into the social platforms that it uses
//   - posting: holds the rules of publishing that need nothing but what is known already
//   - publish: is the port to social platforms
//   - sandbox: is the ground that the stand-ins of social platforms are built on
//
// It may import: api, catalog, process, kube, store, work, account, media, content, film. internal/testkit/layering holds this.
package social
