// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/items"
	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/catalog"
)

// UpdateAutomation is the body of a request to change an automation: a JSON merge patch of its settings.
type UpdateAutomation struct{ Merge[view.AutomationFields] }

// apply returns the settings with the patch applied. A source of another type does not inherit members of the former one.
func (u *UpdateAutomation) apply(now view.AutomationFields) (view.AutomationFields, error) {
	patch, _ := u.patch.(map[string]any)
	source, _ := patch["source"].(map[string]any)
	if kind, given := source["type"]; given && now.Source != nil && kind != now.Source.Type {
		now.Source = nil
	}
	return u.Merge.apply(now)
}

// PreviewAutomation is the body of a request to preview an automation.
type PreviewAutomation struct {
	view.AutomationFields
	AutomationID *operation.ID `json:"automation_id,omitempty" doc:"The automation of the brand that has or gets the settings: the preview continues after its last run. Default: a new one."`
}

// Limits of the kind that the schemas of the bodies do not have, in characters.
const (
	maxPrompt     = 2000
	maxExpression = 200
)

// applyAutomation writes the settings of a body to an automation, and checks them. Fields of the kind that the API does
// not have keep their values.
func (s *Service) applyAutomation(ctx context.Context, c *operation.Call, f *view.AutomationFields, a *v1beta1.Automation) error {
	sp := &a.Spec
	if f.Name = strings.TrimSpace(f.Name); f.Name != cmp.Or(sp.DisplayName, a.Name) {
		sp.DisplayName = f.Name
	}
	sp.Suspend, sp.Schedules, sp.TimeZone = ptr.Deref(f.Paused, false), f.Schedules, f.TimeZone
	sp.LeadTimeSeconds, sp.StartingDeadlineSeconds = ptr.To(ptr.Deref(f.LeadTimeSeconds, 3600)), ptr.Deref(f.StartingDeadlineSeconds, 3600)
	sp.CatchUp = v1beta1.CatchUpPolicy(view.Camel(cmp.Or(f.CatchUp, "skip")))
	sp.ConcurrencyPolicy = v1beta1.ConcurrencyPolicy(view.Camel(cmp.Or(f.ConcurrencyPolicy, "forbid")))
	sp.Approval, sp.OnApprovalTimeout = view.Camel(cmp.Or(f.Approval, "inherit")), view.Camel(cmp.Or(f.OnApprovalTimeout, "skip"))
	d := ptr.Deref(f.Deduplication, view.AutomationDeduplication{})
	sp.Deduplication = v1beta1.AutomationDeduplication{By: view.Camel(cmp.Or(d.By, "item")), WindowDays: cmp.Or(d.WindowDays, 90)}
	sp.Budget, sp.Stop = nil, nil
	if b := f.Budget; b != nil {
		sp.Budget = &v1beta1.AutomationBudget{RunsPerMonth: b.RunsPerMonth, CreditsPerMonth: b.CreditsPerMonth}
	}
	if st := f.Stop; st != nil {
		sp.Stop = &v1beta1.AutomationStop{AfterFailures: st.AfterFailures, AfterRuns: st.AfterRuns}
		if st.At != nil {
			sp.Stop.At = ptr.To(metav1.NewTime(st.At.UTC().Truncate(time.Second)))
		}
	}
	if len(f.Schedules) == 0 {
		return problem.Field("schedules", "schedules needs at least one cron expression, such as 0 9 * * 1-5.")
	}
	for i, e := range f.Schedules {
		if len(e) > maxExpression {
			return problem.Field(fmt.Sprintf("schedules[%d]", i), fmt.Sprintf("A cron expression may have %d characters at most.", maxExpression))
		}
	}
	if err := s.applySource(ctx, f.Source, sp); err != nil {
		return err
	}
	if err := applyTemplate(f.Template, sp); err != nil {
		return err
	}
	if err := s.applyPublish(ctx, c, f.Publish, a); err != nil {
		return err
	}
	if _, err := build.Schedule(a, c.Brand); err != nil {
		return specProblem(err)
	}
	return specProblem(build.Check(a))
}

// specProblem returns the problem for a field that cannot be used; nil for nil.
func specProblem(err error) error {
	e, ok := errors.AsType[*build.SpecError](err)
	if !ok {
		return err
	}
	field := strings.NewReplacer("template.slideshow.", "template.", "source.queue.selector", "source.labels",
		"source.evergreen.selector", "source.labels").Replace(e.Field)
	if wrong, ok := errors.AsType[*schedule.ExpressionError](err); ok {
		field = fmt.Sprintf("schedules[%d]", wrong.Index)
	} else if _, ok := errors.AsType[*schedule.ZoneError](err); ok {
		field = "time_zone"
	} else if wrong, ok := errors.AsType[*items.TermError](err); ok {
		field = fmt.Sprintf("source.%s[%d]", wrong.List, wrong.Index)
	}
	sentence := e.Err.Error()
	return problem.Field(field, strings.ToUpper(sentence[:1])+sentence[1:]+".")
}

func (s *Service) applySource(ctx context.Context, f *view.AutomationSource, sp *v1beta1.AutomationSpec) error {
	if f == nil {
		return problem.Field("source", "source is required.")
	}
	order := func(usual string, allowed ...string) (string, error) {
		o := cmp.Or(f.Order, usual)
		if !slices.Contains(allowed, o) {
			return "", problem.NotAllowed("source.order", allowed, "order must be "+strings.Join(allowed, " or ")+" for this type.")
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
		p := &v1beta1.PromptsSource{Order: o, OnExhausted: view.Camel(cmp.Or(f.OnExhausted, "repeat"))}
		for i, text := range f.Prompts {
			text = strings.TrimSpace(text)
			if n := utf8.RuneCountInString(text); n == 0 || n > maxPrompt {
				return problem.Field(fmt.Sprintf("source.prompts[%d]", i), fmt.Sprintf("A prompt must have 1 to %d characters.", maxPrompt))
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
		if old.Feed == nil || old.Feed.URL != f.URL { // otherwise a feed that is no longer permitted could not be paused
			if err := s.permit(ctx, "The feed", "source.url", f.URL); err != nil {
				return err
			}
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
	case "evergreen":
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
	default:
		return problem.Field("source.type", "source.type is required.")
	}
	return nil
}

func applyTemplate(f *view.AutomationTemplate, sp *v1beta1.AutomationSpec) error {
	needs := sp.Source.Prompts != nil || sp.Source.Feed != nil
	switch {
	case !needs && f != nil:
		return problem.Field("template", "The sources queue and evergreen publish shorts that exist: leave template out, or set it to null.")
	case !needs:
		sp.Template = nil
		return nil
	case f == nil && sp.Template != nil && sp.Template.Video != nil:
		return nil
	case f == nil:
		return problem.Field("template", "The sources prompts and feed need template.")
	}
	if err := checkTemplate(f); err != nil {
		return err
	}
	if sp.Template == nil || sp.Template.Slideshow == nil {
		sp.Template = &v1beta1.AutomationTemplate{Slideshow: &v1beta1.SlideshowTemplate{}}
	}
	t := sp.Template.Slideshow
	t.Context, t.SlideCount, t.AspectRatio, t.DesignStyle, t.ImageWorld = f.Context, f.SlideCount, f.AspectRatio, f.DesignStyle, f.ImageWorld
	t.Title, t.Caption, t.Language = f.Title, f.Caption, f.Language
	return nil
}

// checkTemplate checks the values of the catalog, because responses may contain other ones from manifests. It writes
// the language in its usual spelling.
func checkTemplate(f *view.AutomationTemplate) error {
	if strings.TrimSpace(f.Context) == "" {
		return problem.Field("template.context", "template.context must not be blank.")
	}
	if n := int(f.SlideCount); n != 0 && (n < catalog.MinSlides || n > catalog.MaxSlides) {
		return problem.Field("template.slide_count", fmt.Sprintf("slide_count must be 0, or from %d to %d.", catalog.MinSlides, catalog.MaxSlides))
	}
	if _, ok := catalog.DesignStyleByID(f.DesignStyle); !ok && f.DesignStyle != "" {
		return problem.Field("template.design_style", "There is no such design style: GET /capabilities lists them.")
	}
	if _, ok := catalog.WorldByID(f.ImageWorld); !ok && f.ImageWorld != "" {
		return problem.Field("template.image_world", "There is no such image world: GET /capabilities lists them.")
	}
	if f.Language == "" {
		return nil
	}
	var err error
	f.Language, err = languageOf(&f.Language)
	return within("template.", err)
}

// applyPublish writes the targets. Accounts that the body does not change stay, also those that no longer exist.
func (s *Service) applyPublish(ctx context.Context, c *operation.Call, f *view.AutomationPublish, a *v1beta1.Automation) error {
	if f == nil {
		f = &view.AutomationPublish{}
	}
	old := a.Spec.Publish
	sp := &a.Spec.Publish
	*sp = v1beta1.AutomationPublish{
		PostingMode: cmp.Or(f.PostingMode, "direct"), Media: f.Media, PostText: v1beta1.PostText{Title: f.Title, Caption: f.Caption}, AutoAddMusic: f.AutoAddMusic,
	}
	for i, p := range f.Platforms {
		field := fmt.Sprintf("publish.platforms[%d]", i)
		if !slices.Contains(catalog.Platforms(), p) {
			return problem.NotAllowed(field, catalog.Platforms(), "A platform must be one of "+strings.Join(catalog.Platforms(), ", ")+".")
		}
		if slices.Contains(sp.Platforms, v1beta1.Platform(p)) {
			return problem.Field(field, "The platform is listed twice.")
		}
		sp.Platforms = append(sp.Platforms, v1beta1.Platform(p))
	}
	present, err := s.automationAccounts(ctx, c, &v1beta1.Automation{Spec: v1beta1.AutomationSpec{Publish: old}})
	if err != nil {
		return err
	}
	if slices.Equal(f.SocialDataIDs, present) {
		sp.Accounts = old.Accounts
	} else if sp.Accounts, err = s.targets(ctx, c, f.SocialDataIDs, old.Accounts); err != nil {
		return err
	}
	if len(sp.Accounts)+len(sp.Platforms) == 0 {
		return problem.Field("publish", "publish.social_data_ids or publish.platforms must name at least one target.")
	}
	return nil
}

// targets returns the accounts with the ids. Those that were targets before keep the texts and settings of a manifest.
func (s *Service) targets(ctx context.Context, c *operation.Call, accounts []int64, old []v1beta1.PublishTarget) ([]v1beta1.PublishTarget, error) {
	all, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	var out []v1beta1.PublishTarget
	for i, id := range accounts {
		field := fmt.Sprintf("publish.social_data_ids[%d]", i)
		j := slices.IndexFunc(all, func(a v1beta1.SocialAccount) bool { return read.ID(&a) == id })
		if j < 0 {
			return nil, problem.Field(field, "The brand has no such account.")
		}
		named := func(t v1beta1.PublishTarget) bool { return t.Name == all[j].Name }
		if slices.ContainsFunc(out, named) {
			return nil, problem.Field(field, "The account is listed twice.")
		}
		target := v1beta1.PublishTarget{Name: all[j].Name}
		if k := slices.IndexFunc(old, named); k >= 0 {
			target = old[k]
		}
		out = append(out, target)
	}
	return out, nil
}
