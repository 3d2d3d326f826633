// SPDX-License-Identifier: Apache-2.0

package v1beta1

// Conditions of an Automation beside Ready.
const (
	// ConditionSourceReachable is false when the source cannot be read. It is true after the last successful read.
	ConditionSourceReachable ConditionType = "SourceReachable"
	// ConditionAccountsConnected is true when every target account or platform has a connected SocialAccount.
	ConditionAccountsConnected ConditionType = "AccountsConnected"
	// ConditionWithinPlan is false for automations beyond the plan's automationLimit. The oldest automations run.
	ConditionWithinPlan ConditionType = "WithinPlan"
	// ConditionWithinBudget is false when spec.budget is used up for this month.
	ConditionWithinBudget ConditionType = "WithinBudget"
	// ConditionAwaitingApproval is true while posts of a run are held until a user approves or releases them.
	ConditionAwaitingApproval ConditionType = "AwaitingApproval"
	// ConditionFailing is true when the last run failed.
	ConditionFailing ConditionType = "Failing"
)

// Reasons of Automation and AutomationRun.
const (
	// ReasonInvalidSchedule means that a cron expression or the time zone cannot be used.
	ReasonInvalidSchedule Reason = "InvalidSchedule"
	// ReasonInvalidTemplate means that a text has an unknown placeholder.
	ReasonInvalidTemplate Reason = "InvalidTemplate"
	// ReasonInvalidSource means that the source cannot be used as it is written.
	ReasonInvalidSource Reason = "InvalidSource"
	// ReasonPlanLimit means that the account has more automations than its plan allows.
	ReasonPlanLimit Reason = "PlanLimit"
	// ReasonWithinLimit means that a limit is not reached.
	ReasonWithinLimit Reason = "WithinLimit"
	// ReasonBudgetUsedUp means that spec.budget is used up for this month.
	ReasonBudgetUsedUp Reason = "BudgetUsedUp"
	// ReasonStopped means that a rule of spec.stop applies.
	ReasonStopped Reason = "Stopped"
	// ReasonSourceExhausted means that every prompt was used and onExhausted is Stop.
	ReasonSourceExhausted Reason = "SourceExhausted"
	// ReasonNoItem means that the source has no item that was not used.
	ReasonNoItem Reason = "NoItem"
	// ReasonSourceRead means that the last read of the source succeeded.
	ReasonSourceRead Reason = "SourceRead"
	// ReasonRunActive means that the slot was skipped because an earlier run was active.
	ReasonRunActive Reason = "RunActive"
	// ReasonApprovalTimeout means that the posts were not approved in time and were cancelled.
	ReasonApprovalTimeout Reason = "ApprovalTimeout"
	// ReasonSucceeded means that the run, or the last run of an automation, succeeded.
	ReasonSucceeded Reason = "Succeeded"
	// ReasonNothingHeld means that no post of a run waits for an approval.
	ReasonNothingHeld Reason = "NothingHeld"
)

// Labels of objects that belong to automations.
const (
	// LabelAutomation is the name of the Automation, on its runs and on what they create.
	LabelAutomation = "reelops.dev/automation"
	// LabelAutomationRun is the name of the AutomationRun that created a short or PostBatch, or that took a short from a
	// queue.
	LabelAutomationRun = "reelops.dev/automation-run"
)
