// SPDX-License-Identifier: Apache-2.0

// Package runner runs the attempts of renders and of media work in confined Jobs. It creates the order, the Secret and
// the Job of an attempt, reads its progress and outcome, and removes what only the attempt needed.
//
// The names of the Job, the Secret, the order and the outcome are derived from the owner and the number of the attempt.
// The Job is created last. A controller that was killed at any point finds these objects again and creates the missing
// ones. An attempt that ended without an outcome is lost, and the controller of its owner decides whether to retry.
//
// The pod stores the outcome at a signed URL that writes to the key of its attempt only. If no outcome is stored, the
// termination message of the pod is used. The outcome of the last attempt is kept until the owner is deleted. If the
// controller is killed before the status has the end of the work, the next reconcile reads the outcome again.
//
// The package writes no status.
package runner
