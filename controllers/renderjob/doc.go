// SPDX-License-Identifier: Apache-2.0

// Package renderjob turns a RenderJob of a Slideshow or a Video into a film, by one batch/v1 Job an attempt.
//
//	(new) ── source not drawn yet ──▶ queued
//	  │
//	  ▼ timeline fixed and stored
//	processing, attempt 1 ── film reported and in the store ──▶ succeeded
//	  │        ▲
//	  │        └── worker lost, out of memory or a fault that may pass: the next attempt, at most three in all
//	  ▼
//	failed
//
// An attempt is recorded before its Job is made, and the Job is made last of all that the attempt needs; the end of the work
// is recorded last of all that belongs to it. A pass that is lost is thereby done again by the next one.
//
// A Job, its Secret and its film have names that follow from the RenderJob's uid and the attempt's number. A controller
// killed at any point finds them again; an attempt that was given up can only write to its own name. The pod stores its outcome next to
// the film, and the controller reads it when the pod has reported that or has ended (package runner). What it reports is compared with
// the film in the store.
//
// Files: observe.go reads (observed), decide.go decides (decision), report.go writes the status, act.go changes the cluster and the store.
package renderjob
