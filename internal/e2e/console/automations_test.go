// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"net/http"
	"testing"
)

// weekdayTips is the body of an automation that runs in no test, because its time is far ahead.
func weekdayTips(name string, prompts ...string) map[string]any {
	return map[string]any{
		"name": name, "schedules": []string{"0 9 1 1 *"}, "time_zone": "Asia/Tokyo",
		"source":   map[string]any{"type": "prompts", "prompts": prompts},
		"template": map[string]any{"context": "{{item.title}}. Short and friendly."},
		"publish":  map[string]any{"platforms": []string{"tiktok"}},
		"stop":     map[string]any{"after_failures": 3}, "budget": map[string]any{"runs_per_month": 30},
	}
}

// automation creates an automation and deletes it with the test.
func (a api) automation(t *testing.T, body map[string]any) int64 {
	t.Helper()
	var made struct{ ID int64 }
	a.call(t, http.MethodPost, "/automations", body, &made)
	path := fmt.Sprintf("/automations/%d", made.ID)
	t.Cleanup(func() { a.call(t, http.MethodDelete, path, nil, nil) })
	waitFor(t, func() bool {
		var is struct{ Conditions []any }
		a.call(t, http.MethodGet, path, nil, &is)
		return len(is.Conditions) > 0
	}, "the automation has conditions")
	return made.ID
}

// showsOptions opens all options of the form, with a feed, cron expressions and platforms.
func showsOptions(w *window) {
	w.t.Helper()
	w.click("radio", "Cron")
	w.click("radio", "Feed")
	w.enter("URL of the feed", "https://example.com/feed.xml")
	w.click("radio", "Platforms")
	w.click("checkbox", "TikTok")
	run[bool](w, "document.querySelector('main details').open = true")
	w.settle()
}

// automations creates an automation, runs it, and pauses, edits and deletes it.
func (c *consoleTest) automations(t *testing.T) {
	const name, better, first, second = "Weekday tips", "Better tips", "Three habits for a calm morning", "A quiet evening"
	a := api{c: c}
	a.connected(t, "tiktok", "maya")
	w := c.signedIn(t)
	c.inspect(t, w, screen{"automations-empty", "/console/automations", nil})
	w.size(widths[1])
	w.sees("heading", "No automations yet")
	w.click("link", "New automation")
	w.sees("heading", "New automation")
	w.enter("Name", name)
	w.click("checkbox", "Saturday")
	w.click("button", "Add a time")
	w.enter("Prompts", first+"\n"+second)
	const chosen = `!!document.querySelector('main label:has(bdi) input:checked')`
	if !run[bool](w, chosen) { // the only account is chosen already
		w.click("checkbox", "Maya's Kitchen")
	}
	// The preview is not in an input.
	w.reads(first)
	w.reads(second)
	w.eventually(waitTimeout, func() error {
		n, err := tryRun[int](w, `document.querySelectorAll('ol[aria-label="Next times"] time').length`)
		if err == nil && n != 5 {
			err = fmt.Errorf("the preview has %d times, want 5", n)
		}
		return err
	})

	// An error of the preview is at its field.
	w.click("radio", "Cron")
	w.expects("422 POST /console/api/v1/automations/preview")
	w.enter("Cron expressions", "0 25 * * *")
	w.eventually(waitTimeout, func() error {
		invalid, err := tryRun[bool](w, `document.activeElement.getAttribute('aria-invalid') === 'true'`)
		if err == nil && !invalid {
			err = fmt.Errorf("the field with the expression has no problem")
		}
		return err
	})
	c.picture(w, "automation-problem")
	w.enter("Cron expressions", "0 9,13 * * 1-6")
	w.click("radio", "Days and times")
	w.sees("list", "Next times")
	w.settle()
	c.picture(w, "automation-filled")

	w.click("button", "Create automation")
	w.sees("heading", name)
	w.reads("Running")
	w.reads("Monday to Saturday at 09:00 and 13:00")
	w.click("button", "Run now")
	w.sees("dialog", "Run "+name+" now?")
	c.picture(w, "automation-run-now")
	w.click("button", "Run now")
	w.gone("dialog", "Run "+name+" now?")
	w.reads("started by a user")
	w.reads(first) // the item of the run
	w.sees("link", "Short ")
	page := run[string](w, "location.pathname")
	c.inspect(t, w, screen{"automation-runs", page, nil})
	w.size(widths[1])

	w.click("button", "Pause")
	w.sees("button", "Resume")
	w.visit("/console/automations")
	w.reads("Paused")
	w.click("link", name)
	w.click("link", "Edit")
	w.sees("heading", "Edit "+name)
	w.enter("Name", better)
	w.click("button", "Save")
	w.sees("heading", better)
	w.reads("Paused")
	w.click("button", "Resume")
	w.sees("button", "Pause")
	w.reads("Running")

	w.click("button", "Delete")
	w.sees("dialog", "Delete "+better+"?")
	w.click("button", "Delete")
	w.sees("heading", "No automations yet")
}
