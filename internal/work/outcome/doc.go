// SPDX-License-Identifier: Apache-2.0

// Package outcome defines the document with the result of an attempt, or the reason of its failure.
//
// The renderer stores the outcome at the signed URL in its order. It also writes a shorter one to the termination
// message of its container. The controller reads the stored outcome after the renderer has reported that a video is
// complete, or after the Job or its pod has ended. If no outcome is stored, it reads the termination message.
//
// A malicious file may have taken over the renderer. Parse is therefore strict and every number has a bound. The
// controllers compare the reported sizes and digests with the store.
package outcome
