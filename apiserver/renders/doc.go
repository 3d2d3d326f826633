// SPDX-License-Identifier: Apache-2.0

// Package renders takes the progress that render pods report. It is served on the internal listener only. The URL is the credential: it is
// signed for one attempt of one RenderJob.
//
// It writes status.progress of RenderJobs and nothing else. Pods that the previous release started report their outcome here as well: it
// is stored where the pods of this release store theirs, and the renderjob controller reads it. Responses are small JSON objects, not the
// public envelope: 204 taken, 400 unreadable, 403 not signed here, 409 the attempt is over (stop reporting), 503 try again.
package renders
