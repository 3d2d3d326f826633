// SPDX-License-Identifier: Apache-2.0

// Package pacing decides when a post may be published, and how much an account and the installation's app may still
// publish.
//
// Lines admits one post of an account at a time: the one that is due first and, among those due at the same time, the
// one with the lower ID. Caps counts the posts within a platform's window, and records when a platform accepts posts
// again after a refusal. The platform's answer takes precedence over the count.
//
// Limitations:
//
//   - Nothing is persisted. After a restart the process learns from the posts in the cluster what was published. It
//     does not know about posts that were deleted from the cluster in the meantime.
//   - Only posts of this installation are counted. Posts that users publish by hand or with other programs count on the
//     platform as well, so the platform may refuse a post that is allowed here.
//   - The order holds among posts that can be published. A post that cannot be published in time, because its upload
//     takes long or has to be retried, leaves the queue and may be overtaken.
//   - There is no order between accounts.
//   - The view is that of one process. Leader election ensures that only one manager works at a time. The attempts
//     recorded in each post, not this package, prevent a post from being published twice.
package pacing
