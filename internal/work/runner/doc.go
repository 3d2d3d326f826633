// SPDX-License-Identifier: Apache-2.0

// Package runner runs the attempts of work in confined Jobs, for renders and for media: it creates the order, the
// Secret and the Job of an attempt, reads how far it is and how it ended, and removes what only the work needed.
//
// The names of a Job, its Secret, its order and its outcome follow from the owner and the number of the attempt, and
// the Job is created last. A controller that is killed at any point finds them again and creates what is missing. An
// attempt without an outcome was lost, and its owner decides about another.
//
// An attempt's outcome is the one that its pod stored, by a URL that writes to this attempt's key alone. If there is
// none, it is the termination message of the pod. The stored outcome of the last attempt is kept: a pass that is lost
// before the status has the end of the work reads it again.
//
// The package writes no status.
package runner
