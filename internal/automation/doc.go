// SPDX-License-Identifier: Apache-2.0

// Package automation holds the rules of recurring posts as pure functions: which slot starts when, what a feed offers,
// which item is next, and how the item's values enter the template.
//
// Packages:
//
//   - build: derives runs, shorts and batches from an Automation
//   - feed: reads RSS, Atom and JSON feeds of untrusted servers
//   - items: chooses the next item of a source
//   - schedule: computes the slots of cron expressions and which of them start or are missed
//   - source: chooses the next item of an Automation, from the cluster or a feed
//   - template: fills placeholders with the values of an item
//
// It may import: api, catalog, process, kube, store, work, account, media, content, film, social.
// internal/testkit/layering enforces this.
package automation
