// SPDX-License-Identifier: Apache-2.0

// Package outcome is the document with the end of an attempt: what was created or found, or why the work failed.
//
// The renderer stores the outcome by the signed URL in its order, and leaves a shorter one in the termination message
// of its container. The controller reads the stored outcome when the renderer has reported that a video is complete,
// or when the Job or its pod has ended, and the termination message if nothing is stored. A renderer opens files of
// users and may have been taken over by one: Parse is strict, every number has a bound, and the controllers compare
// what is reported with what is in the store.
package outcome
