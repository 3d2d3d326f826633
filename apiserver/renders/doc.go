// SPDX-License-Identifier: Apache-2.0

// Package renders takes what a render pod says: how far it is and how it ended. It is served on the internal listener
// only. The address is the credential: it is signed for one attempt of one RenderJob.
//
// It writes status.progress and status.report of RenderJobs and nothing else; what follows from a report is the
// renderjob controller's to decide. Answers are small JSON objects, not the public envelope: 204 taken, 400 unreadable,
// 403 not signed here, 409 the attempt is over (stop reporting), 503 try again.
package renders
