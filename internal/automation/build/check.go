// SPDX-License-Identifier: Apache-2.0

package build

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/items"
	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/automation/template"
)

// SpecError is a field of an Automation that cannot be used.
type SpecError struct {
	// Reason of the condition.
	Reason v1beta1.Reason
	// Field is the path of the field below the spec, such as template.slideshow.context.
	Field string
	// Err is a sentence without a full stop.
	Err error
}

// Error returns a sentence without a full stop that names the field.
func (e *SpecError) Error() string { return fmt.Sprintf("spec.%s: %v", e.Field, e.Err) }

// Unwrap returns the cause.
func (e *SpecError) Unwrap() error { return e.Err }

// Schedule returns the schedule of an automation, in its time zone or else that of its brand. The error is a
// *SpecError.
func Schedule(a *v1beta1.Automation, brand *v1beta1.Brand) (*schedule.Schedule, error) {
	s, err := schedule.Parse(a.Spec.Schedules, Zone(a, brand))
	if err != nil {
		return nil, &SpecError{Reason: v1beta1.ReasonInvalidSchedule, Field: "schedules", Err: err}
	}
	return s, nil
}

// Zone returns the IANA name of the time zone of an automation; empty for UTC.
func Zone(a *v1beta1.Automation, brand *v1beta1.Brand) string {
	if a.Spec.TimeZone != "" {
		return a.Spec.TimeZone
	}
	return brand.Spec.Timezone
}

// Policy returns when slots of an automation start and when they are missed.
func Policy(a *v1beta1.Automation) schedule.Policy {
	return schedule.Policy{Lead: Lead(a), StartingDeadline: StartingDeadline(a), CatchUp: schedule.CatchUp(a.Spec.CatchUp)}
}

// Lead returns how long before a slot its content is created.
func Lead(a *v1beta1.Automation) time.Duration {
	return time.Duration(ptr.Deref(a.Spec.LeadTimeSeconds, 3600)) * time.Second
}

// StartingDeadline returns how late a slot may start.
func StartingDeadline(a *v1beta1.Automation) time.Duration {
	return time.Duration(a.Spec.StartingDeadlineSeconds) * time.Second
}

// Check returns the first field of an automation that cannot be used, apart from its schedule; nil if there is none.
// The error is a *SpecError.
func Check(a *v1beta1.Automation) error {
	if f := a.Spec.Source.Feed; f != nil {
		if _, err := items.CompileFilter(f.Include, f.Exclude); err != nil {
			return &SpecError{Reason: v1beta1.ReasonInvalidSource, Field: "source.feed", Err: err}
		}
	}
	if q := a.Spec.Source.Queue; q != nil {
		if _, err := metav1.LabelSelectorAsSelector(&q.Selector); err != nil {
			return &SpecError{Reason: v1beta1.ReasonInvalidSource, Field: "source.queue.selector", Err: err}
		}
	}
	if e := a.Spec.Source.Evergreen; e != nil {
		if _, err := metav1.LabelSelectorAsSelector(e.Selector); err != nil {
			return &SpecError{Reason: v1beta1.ReasonInvalidSource, Field: "source.evergreen.selector", Err: err}
		}
	}
	for _, t := range texts(a) {
		if err := template.Check(t.text); err != nil {
			return &SpecError{Reason: v1beta1.ReasonInvalidTemplate, Field: t.field, Err: err}
		}
	}
	return nil
}

type field struct{ field, text string }

// texts returns the texts of an automation that may contain placeholders.
func texts(a *v1beta1.Automation) []field {
	var out []field
	add := func(name string, text *string) {
		if text != nil {
			out = append(out, field{name, *text})
		}
	}
	if t := a.Spec.Template; t != nil {
		if s := t.Slideshow; s != nil {
			add("template.slideshow.context", &s.Context)
			add("template.slideshow.title", s.Title)
			add("template.slideshow.caption", s.Caption)
		}
		if v := t.Video; v != nil {
			add("template.video.hookText", &v.HookText)
			add("template.video.title", v.Title)
			add("template.video.caption", v.Caption)
		}
	}
	add("publish.title", a.Spec.Publish.Title)
	add("publish.caption", a.Spec.Publish.Caption)
	for i := range a.Spec.Publish.Accounts {
		t := &a.Spec.Publish.Accounts[i]
		add(fmt.Sprintf("publish.accounts[%d].title", i), t.Title)
		add(fmt.Sprintf("publish.accounts[%d].caption", i), t.Caption)
		add(fmt.Sprintf("publish.accounts[%d].firstComment", i), t.FirstComment)
	}
	return out
}
