// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/catalog"
)

// applyAutomation writes the settings of a body to an automation, and checks them. Fields of the kind that the API does
// not have keep their values.
func (s *Service) applyAutomation(ctx context.Context, c *operation.Call, f *view.AutomationFields, a *v1beta1.Automation) error {
	sp := &a.Spec
	if f.Name = strings.TrimSpace(f.Name); f.Name != a.Name {
		sp.DisplayName = f.Name
	}
	sp.Suspend, sp.Schedules, sp.TimeZone = ptr.Deref(f.Paused, false), f.Schedules, f.TimeZone
	sp.LeadTimeSeconds, sp.StartingDeadlineSeconds = ptr.Deref(f.LeadTimeSeconds, 3600), ptr.Deref(f.StartingDeadlineSeconds, 3600)
	sp.CatchUp = v1beta1.CatchUpPolicy(view.Camel(or(f.CatchUp, "skip")))
	sp.ConcurrencyPolicy = v1beta1.ConcurrencyPolicy(view.Camel(or(f.ConcurrencyPolicy, "forbid")))
	sp.Approval, sp.OnApprovalTimeout = view.Camel(or(f.Approval, "inherit")), view.Camel(or(f.OnApprovalTimeout, "skip"))
	sp.Deduplication = v1beta1.AutomationDeduplication{By: "Item", WindowDays: 90}
	if d := f.Deduplication; d != nil {
		sp.Deduplication = v1beta1.AutomationDeduplication{By: view.Camel(or(d.By, "item")), WindowDays: d.WindowDays}
		if d.WindowDays == 0 {
			sp.Deduplication.WindowDays = 90
		}
	}
	sp.Budget, sp.Stop = nil, nil
	if b := f.Budget; b != nil {
		sp.Budget = &v1beta1.AutomationBudget{RunsPerMonth: b.RunsPerMonth, CreditsPerMonth: b.CreditsPerMonth}
	}
	if st := f.Stop; st != nil {
		sp.Stop = &v1beta1.AutomationStop{AfterFailures: st.AfterFailures, AfterRuns: st.AfterRuns}
		if st.At != nil {
			sp.Stop.At = ptr.To(metav1.NewTime(st.At.UTC()))
		}
	}
	if len(f.Schedules) == 0 {
		return problem.Field("schedules", "schedules needs at least one cron expression, such as 0 9 * * 1-5.")
	}
	if err := applySource(f.Source, sp); err != nil {
		return err
	}
	if err := applyTemplate(f.Template, sp); err != nil {
		return err
	}
	if err := s.applyPublish(ctx, c, f.Publish, sp); err != nil {
		return err
	}
	if _, err := build.Schedule(a, c.Brand); err != nil {
		return specProblem(err)
	}
	return specProblem(build.Check(a))
}

func or(value, usual string) string {
	if value == "" {
		return usual
	}
	return value
}

// specProblem returns the problem for a field that cannot be used; nil for nil.
func specProblem(err error) error {
	var e *build.SpecError
	if !errors.As(err, &e) {
		return err
	}
	field := strings.Replace(e.Field, "template.slideshow.", "template.", 1)
	return problem.Field(field, e.Err.Error()+".")
}

func applySource(f *view.AutomationSource, sp *v1beta1.AutomationSpec) error {
	if f == nil {
		return problem.Field("source", "source is required.")
	}
	order := func(usual string, allowed ...string) (string, error) {
		o := or(f.Order, usual)
		if !slices.Contains(allowed, o) {
			return "", problem.Field("source.order", "order must be "+strings.Join(allowed, " or ")+" for this type.")
		}
		return view.Camel(o), nil
	}
	old := sp.Source
	sp.Source = v1beta1.AutomationSource{}
	switch f.Type {
	case "prompts":
		o, err := order("sequential", "sequential", "shuffled")
		if err != nil {
			return err
		}
		p := &v1beta1.PromptsSource{Order: o, OnExhausted: view.Camel(or(f.OnExhausted, "repeat"))}
		for i, text := range f.Prompts {
			if text = strings.TrimSpace(text); text == "" {
				return problem.Field(fmt.Sprintf("source.prompts[%d]", i), "A prompt must not be blank.")
			}
			p.Items = append(p.Items, v1beta1.Prompt{Text: text})
		}
		if len(p.Items) == 0 {
			return problem.Field("source.prompts", "The source prompts needs at least one prompt.")
		}
		sp.Source.Prompts = p
	case "feed":
		if f.URL == "" {
			return problem.Field("source.url", "The source feed needs url.")
		}
		sp.Source.Feed = &v1beta1.FeedSource{URL: f.URL, Include: f.Include, Exclude: f.Exclude, MaxAgeHours: f.MaxAgeHours}
	case "queue":
		q := &v1beta1.QueueSource{}
		if old.Queue != nil {
			q.Selector.MatchExpressions = old.Queue.Selector.MatchExpressions
		}
		if q.Selector.MatchLabels = f.Labels; len(f.Labels) == 0 && len(q.Selector.MatchExpressions) == 0 {
			return problem.Field("source.labels", "The source queue needs labels.")
		}
		sp.Source.Queue = q
	default:
		o, err := order("oldest", "oldest", "views")
		if err != nil {
			return err
		}
		e := &v1beta1.EvergreenSource{CooldownHours: ptr.Deref(f.CooldownHours, 720), MaxRepeats: f.MaxRepeats, Order: o}
		if old.Evergreen != nil && old.Evergreen.Selector != nil && len(old.Evergreen.Selector.MatchExpressions) > 0 {
			e.Selector = &metav1.LabelSelector{MatchExpressions: old.Evergreen.Selector.MatchExpressions}
		}
		if len(f.Labels) > 0 {
			if e.Selector == nil {
				e.Selector = &metav1.LabelSelector{}
			}
			e.Selector.MatchLabels = f.Labels
		}
		sp.Source.Evergreen = e
	}
	return nil
}

func applyTemplate(f *view.AutomationTemplate, sp *v1beta1.AutomationSpec) error {
	needs := sp.Source.Prompts != nil || sp.Source.Feed != nil
	switch {
	case !needs && f != nil:
		return problem.Field("template", "The sources queue and evergreen publish shorts that exist: leave template out.")
	case !needs:
		sp.Template = nil
		return nil
	case f == nil && sp.Template != nil && sp.Template.Video != nil:
		return nil
	case f == nil:
		return problem.Field("template", "The sources prompts and feed need template.")
	}
	if sp.Template == nil || sp.Template.Slideshow == nil {
		sp.Template = &v1beta1.AutomationTemplate{Slideshow: &v1beta1.SlideshowTemplate{}}
	}
	t := sp.Template.Slideshow
	t.Context, t.SlideCount, t.AspectRatio, t.DesignStyle, t.ImageWorld = f.Context, f.SlideCount, f.AspectRatio, f.DesignStyle, f.ImageWorld
	t.Title, t.Caption, t.Language = f.Title, f.Caption, f.Language
	return nil
}

func (s *Service) applyPublish(ctx context.Context, c *operation.Call, f *view.AutomationPublish, sp *v1beta1.AutomationSpec) error {
	if f == nil || len(f.SocialDataIDs)+len(f.Platforms) == 0 {
		return problem.Field("publish", "publish.social_data_ids or publish.platforms must name at least one target.")
	}
	old := sp.Publish
	sp.Publish = v1beta1.AutomationPublish{
		PostingMode: or(f.PostingMode, "direct"), Media: f.Media, PostText: v1beta1.PostText{Title: f.Title, Caption: f.Caption}, AutoAddMusic: f.AutoAddMusic,
	}
	for i, p := range f.Platforms {
		if !slices.Contains(catalog.Platforms(), p) {
			return problem.Field(fmt.Sprintf("publish.platforms[%d]", i), "A platform must be one of "+strings.Join(catalog.Platforms(), ", ")+".")
		}
		sp.Publish.Platforms = append(sp.Publish.Platforms, v1beta1.Platform(p))
	}
	if len(f.SocialDataIDs) == 0 {
		return nil
	}
	all, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return err
	}
	for i, id := range f.SocialDataIDs {
		j := slices.IndexFunc(all, func(a v1beta1.SocialAccount) bool { return read.ID(&a) == id })
		if j < 0 {
			return problem.Field(fmt.Sprintf("publish.social_data_ids[%d]", i), "The brand has no such account.")
		}
		target := v1beta1.PublishTarget{Name: all[j].Name}
		if k := slices.IndexFunc(old.Accounts, func(t v1beta1.PublishTarget) bool { return t.Name == target.Name }); k >= 0 {
			target = old.Accounts[k] // its own texts and settings, which a manifest wrote
		}
		sp.Publish.Accounts = append(sp.Publish.Accounts, target)
	}
	return nil
}
