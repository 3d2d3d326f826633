// SPDX-License-Identifier: Apache-2.0

// Package pacing says whose turn it is to publish, and how much an account and the installation's app may still publish.
//
// Lines lets one post of an account go at a time, the one that was due first and, of those due together, the one with the
// lower id. Caps counts what went out within a platform's window, and keeps what a platform said of when it takes more: its
// word wins over the count.
//
// What it does not promise:
//
//   - Nothing is kept. A process that starts anew learns from the posts in the cluster what went out; of posts that were
//     removed from it meanwhile it knows nothing.
//   - It counts what goes out through this installation. Posts that people make by hand, and other programs, count at the
//     platform as well: it may refuse what is allowed here.
//   - Order holds among posts that can go. One that cannot go in time, because its upload takes long or it has to be tried
//     again, stands aside and is overtaken.
//   - Between accounts there is no order.
//   - It is one process's view. That only one manager works at a time is for others to see to, and that no post goes twice is
//     the ledger's promise in each post, not this one's.
package pacing
