// SPDX-License-Identifier: Apache-2.0

// Package automation starts the runs of Automations at their slots, and creates and publishes the short of each run.
//
// One reconciler owns both kinds. Its key is the Automation, so that the runs of one automation are processed one after
// the other. A slot passes through these writes, each of which a crash may precede or follow:
//
//  1. create AutomationRun, named after the automation and the minute of the slot
//  2. patch the status of runs that are missed or skipped
//  3. patch Automation: handledUntil is the slot
//  4. patch AutomationRun: the proposed item
//  5. patch Automation: the item is used by the run, and the run has a number
//  6. patch AutomationRun: Creating
//  7. create the short, named like the run
//  8. create the PostBatch, named like the run, when the short is ready
//  9. patch AutomationRun: the outcomes of the posts
//
// A slot runs at most once. Until step 3 a repeated pass finds the run of step 1 by its name. After step 3 the slot is
// not considered any more, and only then the run may be deleted from the history. Step 3 and 5 have the resourceVersion
// of the Automation as a precondition, and step 1 follows a read of it from the API server: a leader with old data
// creates nothing. Short and batch have the name of the run, so that both are created once.
//
// A run owns its short and its batch while it is active. When it ends they are released, so that deleting a run from
// the history keeps them.
package automation
