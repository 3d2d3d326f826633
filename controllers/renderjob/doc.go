// SPDX-License-Identifier: Apache-2.0

// Package renderjob renders the video of a RenderJob of a Slideshow or a Video. Each attempt is one batch/v1 Job.
//
//	(new) ── source not ready ──▶ queued
//	  │
//	  ▼ timeline stored
//	processing, attempt 1 ── video reported and stored ──▶ succeeded
//	  │        ▲
//	  │        └── worker lost, out of memory or a retryable failure: the next attempt, at most three
//	  ▼
//	failed
//
// An attempt is recorded before its objects are created, and its Job is created last. The end of the work is recorded
// after everything else is done. The next reconcile therefore repeats an interrupted one.
//
// The names of a Job, its Secret and its files are derived from the UID of the RenderJob and the number of the attempt.
// A controller that was killed at any point finds them again, and an abandoned attempt can write to its own keys only.
//
// The pod stores its outcome next to the video. The controller reads the outcome after the pod has reported completion
// or has ended (package runner), and compares it with the stored video.
//
// Files: observe.go has observed, decide.go has decision, report.go writes the status, act.go changes the cluster and
// the store.
package renderjob
