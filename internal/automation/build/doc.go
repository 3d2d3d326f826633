// SPDX-License-Identifier: Apache-2.0

// Package build derives from an Automation what its runs need: the schedule, the names of runs, and the short and the
// PostBatch of a run. The controller creates these objects; a preview only shows them.
//
// Every name follows from the slot. A process that repeats a creation after a crash therefore finds the existing
// object.
package build
