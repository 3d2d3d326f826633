// SPDX-License-Identifier: Apache-2.0

// Package voicing has texts spoken for the controllers of shorts, either by the manager's speech service or by a Job
// that the short owns (package runner).
//
// A spoken text is stored under a key that follows from the text, its language, the voice and the speaker. A speech
// service is paid, so the package requests each key once and finds the sound in the store afterwards. The attempt
// number of a Job is recorded in the owner's status before the Job is created. A controller that is killed at any point
// resumes with the same keys and names.
//
// The package writes no status. It returns what the controller has to record.
package voicing
