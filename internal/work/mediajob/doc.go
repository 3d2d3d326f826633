// SPDX-License-Identifier: Apache-2.0

// Package mediajob does media work in confined Jobs, for the kinds that are made of a file somebody brought, and for those in
// which something is said: it makes the Job of an attempt with its Secret and its order, reads how it ended, and removes what
// only the work needed.
//
// A Job, its Secret and its order have names that follow from the owner's uid and the attempt's number, and the Job is made
// last: a controller killed at any point finds them again and makes what is missing. The outcome is in the pod's
// termination message. An attempt without an outcome, whatever became of it, was lost, and its owner decides about another.
//
// It writes no status.
package mediajob
