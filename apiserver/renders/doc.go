// SPDX-License-Identifier: Apache-2.0

// Package renders accepts the progress reports of render pods, on the internal listener only. The URL of a report is
// the credential. It is signed for one attempt of one RenderJob.
//
// The package writes status.progress of RenderJobs and no other field. Pods of the previous release report their
// outcome here as well. The package stores such an outcome at the key at which pods of this release store theirs, and
// the renderjob controller reads it.
//
// Responses are small JSON objects, not the public envelope. The status is 204 for an accepted report, 400 for an
// invalid report, 403 for an invalid signature, 409 if the attempt has ended, and 503 if the pod should retry.
package renders
