// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/apiserver/view"
)

var exampleAutomationBody = map[string]any{
	"name": "Weekday tips", "schedules": []string{"0 9 * * 1-5"}, "time_zone": "Europe/Paris",
	"source":   map[string]any{"type": "prompts", "prompts": []string{"Three habits for a calm morning", "How to plan a quiet evening"}},
	"template": map[string]any{"context": "{{item.title}}. Short, practical and friendly."},
	"publish":  map[string]any{"platforms": []string{"tiktok", "instagram"}},
}

var exampleSlot = view.Time{Time: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}

var exampleAutomation = view.Automation{
	ID: 5, AutomationFields: view.AutomationFields{
		Name: "Weekday tips", Paused: ptr.To(false), Schedules: []string{"0 9 * * 1-5"}, TimeZone: "Europe/Paris",
		LeadTimeSeconds: ptr.To[int32](3600), StartingDeadlineSeconds: ptr.To[int32](3600), CatchUp: "skip", ConcurrencyPolicy: "forbid",
		Source: &view.AutomationSource{
			Type: "prompts", Prompts: []string{"Three habits for a calm morning", "How to plan a quiet evening"}, Order: "sequential", OnExhausted: "repeat",
		},
		Template: &view.AutomationTemplate{Context: "{{item.title}}. Short, practical and friendly."},
		Publish:  &view.AutomationPublish{Platforms: []string{"tiktok", "instagram"}, PostingMode: "direct"},
		Approval: "inherit", OnApprovalTimeout: "skip", Deduplication: &view.AutomationDeduplication{By: "item", WindowDays: 90},
	},
	Ready: true, StatusMessage: "The next post goes out at 2026-11-30T08:00:00Z", Conditions: []view.AutomationCondition{
		{Type: "within_plan", Status: true, Reason: "within_limit", Message: "The plan allows this automation"},
	},
	NextTimes: []view.Time{exampleSlot}, ActiveRuns: []string{}, CreatedAt: view.Time{Time: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)},
}

var exampleAutomationItem = view.AutomationItem{ID: "1", Title: "Three habits for a calm morning"}

var exampleAutomationRun = view.AutomationRun{
	ID: "automation-5-29934720", Status: "creating", StatusMessage: "The slides of the short are being generated", ScheduledAt: exampleSlot,
	Item: view.Nullable[view.AutomationItem]{Value: &exampleAutomationItem}, ShortID: ptr.To[int64](123), PostIDs: []int64{},
	StartedAt: &view.Time{Time: exampleSlot.Add(-time.Hour)},
}

var exampleAutomationPreview = view.AutomationPreview{
	NextTimes: []view.Time{exampleSlot}, Items: []view.AutomationItem{exampleAutomationItem},
}
