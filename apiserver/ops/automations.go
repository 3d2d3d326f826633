// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/source"
	"github.com/reelops/reelops/internal/catalog"
)

const (
	tagAutomations = "Automations"
	// bothScopes explains the scopes of operations that change automations.
	bothScopes = "The key needs `content:write` and `posts:write`. "
	// declaredNote explains automations of manifests.
	declaredNote = "An automation that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`."
	// previewed is the number of times and items of a preview.
	previewed = 5
)

var listAutomationsSpec = operation.Spec{
	Name: "list_automations", Method: http.MethodGet, Path: "/api/v1/automations", Tag: tagAutomations,
	Summary: "List automations", Description: "Lists the brand's automations, the newest first.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: []view.Automation{exampleAutomation},
}

type listAutomationsInput struct{ operation.Paging }

func (s *Service) listAutomations(ctx context.Context, c *operation.Call, in listAutomationsInput) (*operation.Reply[[]view.Automation], error) {
	all, err := s.Reader.Automations(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	reply := &operation.Reply[[]view.Automation]{Data: []view.Automation{}}
	var from, to int
	from, to, reply.Meta.Pagination = in.Of(len(all))
	for i := range all[from:to] {
		one, err := s.automationView(ctx, c, &all[from+i])
		if err != nil {
			return nil, err
		}
		reply.Data = append(reply.Data, *one)
	}
	return reply, nil
}

var automationSpec = operation.Spec{
	Name: "get_automation", Method: http.MethodGet, Path: "/api/v1/automations/{id}", Tag: tagAutomations,
	Summary: "Get an automation", Description: "Returns the settings and the state of an automation.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleAutomation,
}

type byAutomationID struct {
	ID operation.ID `path:"id" doc:"The automation id."`
}

func (s *Service) automation(ctx context.Context, c *operation.Call, in byAutomationID) (*operation.Reply[view.Automation], error) {
	a, err := s.cachedAutomation(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	return s.automationReply(ctx, c, a)
}

var createAutomationSpec = operation.Spec{
	Name: "create_automation", Method: http.MethodPost, Path: "/api/v1/automations", Tag: tagAutomations,
	Summary: "Create an automation",
	Description: "Creates and publishes a short at each time of a schedule. `schedules`, `source` and `publish` are required, and `template` with the sources prompts and feed. " +
		"A feed must have a public https URL. " + bothScopes + "Over the plan's `automation_limit` the request is a 403 `quota_exceeded`. " +
		"Video templates and settings of single accounts are written in a manifest.",
	Scope: v1beta1.ScopePostsWrite, AlsoScope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Status: http.StatusCreated,
	Errors: []catalog.Code{catalog.QuotaExceeded}, BodyExample: exampleAutomationBody, DataExample: exampleAutomation,
}

type createAutomationInput struct{ Body view.AutomationFields }

func (s *Service) createAutomation(ctx context.Context, c *operation.Call, in createAutomationInput) (*operation.Reply[view.Automation], error) {
	a := &v1beta1.Automation{Spec: v1beta1.AutomationSpec{BrandRef: v1beta1.LocalRef{Name: c.Brand.Name}}}
	if err := s.applyAutomation(ctx, c, &in.Body, a); err != nil {
		return nil, err
	}
	if _, resumed := c.Resumed(); !resumed {
		if err := s.withinAutomationLimit(ctx, c); err != nil {
			return nil, err
		}
	}
	made, found, err := createNamed(ctx, s, c, named[*v1beta1.Automation]{
		object: a, what: "automation", prefix: "automation-", next: s.NextAutomation,
		brand: func(a *v1beta1.Automation) *v1beta1.LocalRef { return &a.Spec.BrandRef },
	})
	if err != nil {
		return nil, err
	}
	reply, err := s.automationReply(ctx, c, made)
	if reply != nil {
		reply.Found = found
	}
	return reply, err
}

// withinAutomationLimit returns a problem if the account has as many automations as its plan allows. Of two requests at
// the same time both may pass; then the controller starts no runs of the newer automation.
func (s *Service) withinAutomationLimit(ctx context.Context, c *operation.Call) error {
	account, err := s.Reader.Account(ctx, c.Namespace())
	if errors.Is(err, read.ErrNotFound) {
		return noAccount()
	}
	if err != nil {
		return err
	}
	all, err := s.Reader.Automations(ctx, c.Namespace(), "")
	if err != nil {
		return err
	}
	limit := ptr.Deref(account.Spec.Plan.AutomationLimit, v1beta1.DefaultAutomationLimit)
	if len(all) < int(limit) {
		return nil
	}
	return problem.New(catalog.QuotaExceeded, problem.Details{"limit": limit, "used": len(all), "remaining": 0}).
		Saying(fmt.Sprintf("The plan's limit of automations is %d, and the account has %d. Delete one, or change the plan.", limit, len(all)))
}

var updateAutomationSpec = operation.Spec{
	Name: "update_automation", Method: http.MethodPatch, Path: "/api/v1/automations/{id}", Tag: tagAutomations,
	Summary: "Update an automation",
	Description: "Changes settings: omitted members stay unchanged, null clears a member, and arrays are replaced. " +
		"`paused` pauses and resumes; nothing runs later for times that pass meanwhile. A changed schedule applies to times after the newest one that has started. " +
		bothScopes + declaredNote,
	Scope: v1beta1.ScopePostsWrite, AlsoScope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{"paused": true}, DataExample: exampleAutomation,
}

type updateAutomationInput struct {
	ID   operation.ID `path:"id" doc:"The automation id."`
	Body UpdateAutomation
}

func (s *Service) updateAutomation(ctx context.Context, c *operation.Call, in updateAutomationInput) (*operation.Reply[view.Automation], error) {
	fetch := func() (*v1beta1.Automation, error) { return s.ownAutomation(ctx, c, in.ID) }
	a, err := changed(ctx, s, "automation", problem.Details{}, fetch, func(a *v1beta1.Automation) error {
		ids, err := s.automationAccounts(ctx, c, a)
		if err != nil {
			return err
		}
		fields, err := in.Body.apply(view.AutomationFieldsOf(a, ids))
		if err != nil {
			return err
		}
		return s.applyAutomation(ctx, c, &fields, a)
	})
	if err != nil {
		return nil, err
	}
	return s.automationReply(ctx, c, a)
}

var deleteAutomationSpec = operation.Spec{
	Name: "delete_automation", Method: http.MethodDelete, Path: "/api/v1/automations/{id}", Tag: tagAutomations,
	Summary: "Delete an automation",
	Description: "Deletes an automation and its runs. Posts of active runs that are not sent are cancelled, and their shorts deleted. " +
		"What ended runs have published stays. " + bothScopes + declaredNote,
	Scope: v1beta1.ScopePostsWrite, AlsoScope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.Conflict},
	DataExample: view.Deleted{ID: 5, Deleted: true},
}

func (s *Service) deleteAutomation(ctx context.Context, c *operation.Call, in byAutomationID) (*operation.Reply[view.Deleted], error) {
	a, err := s.ownAutomation(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	if err := undeclaredObject(a, "automation", problem.Details{}); err != nil {
		return nil, err
	}
	return s.remove(ctx, a, int64(in.ID))
}

var runAutomationSpec = operation.Spec{
	Name: "run_automation", Method: http.MethodPost, Path: "/api/v1/automations/{id}/run", Tag: tagAutomations,
	Summary: "Run an automation now",
	Description: "Starts a run beside the schedule. Its posts go out as soon as its short is ready and, where required, approved. " +
		"A paused automation is a 409 `conflict`. " + bothScopes,
	Scope: v1beta1.ScopePostsWrite, AlsoScope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.Conflict}, DataExample: exampleAutomationRun,
}

func (s *Service) runAutomation(ctx context.Context, c *operation.Call, in byAutomationID) (*operation.Reply[view.AutomationRun], error) {
	a, err := s.ownAutomation(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	if _, resumed := c.Resumed(); a.Spec.Suspend && !resumed {
		return nil, problem.New(catalog.Conflict, problem.Details{"reason": "paused"}).Saying("The automation is paused: set paused to false first.")
	}
	reserved, err := c.Accept(ctx, func(ctx context.Context) (int64, string, error) {
		id, err := s.NextAutomation(ctx)
		return id, "m" + strconv.FormatInt(id, 36), err
	})
	if err != nil {
		return nil, err
	}
	run := build.ManualRun(a, reserved.Name, s.clusterNow())
	err = s.Live.Create(ctx, run)
	if apierrors.IsAlreadyExists(err) {
		err = s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(run), run)
	}
	if err != nil {
		return nil, fmt.Errorf("creating a run: %w", err)
	}
	return &operation.Reply[view.AutomationRun]{Data: view.AutomationRunOf(run), Found: reserved.Resumed}, nil
}

var listAutomationRunsSpec = operation.Spec{
	Name: "list_automation_runs", Method: http.MethodGet, Path: "/api/v1/automations/{id}/runs", Tag: tagAutomations,
	Summary: "List the runs of an automation", Description: "Lists the runs that are kept, the newest first. Missed and skipped times have runs too.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: []view.AutomationRun{exampleAutomationRun},
}

type automationRunsInput struct {
	operation.Paging
	ID operation.ID `path:"id" doc:"The automation id."`
}

func (s *Service) automationRuns(ctx context.Context, c *operation.Call, in automationRunsInput) (*operation.Reply[[]view.AutomationRun], error) {
	a, err := s.cachedAutomation(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	runs, err := s.Reader.AutomationRuns(ctx, a)
	if err != nil {
		return nil, err
	}
	reply := &operation.Reply[[]view.AutomationRun]{Data: []view.AutomationRun{}}
	var from, to int
	from, to, reply.Meta.Pagination = in.Of(len(runs))
	for i := range runs[from:to] {
		reply.Data = append(reply.Data, view.AutomationRunOf(&runs[from+i]))
	}
	return reply, nil
}

var previewAutomationSpec = operation.Spec{
	Name: "preview_automation", Method: http.MethodPost, Path: "/api/v1/automations/preview", Tag: tagAutomations,
	Summary: "Preview an automation",
	Description: "Returns the next five times and items of an automation with the settings of the body. Creates nothing. " +
		"`items_message` is the reason why items are missing: those of the sources feed and evergreen are chosen when a run starts, " +
		"and the order of shuffled prompts is known once the automation exists.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, Reads: true, BodyExample: exampleAutomationBody,
	DataExample: exampleAutomationPreview,
}

type previewAutomationInput struct{ Body PreviewAutomation }

func (s *Service) previewAutomation(ctx context.Context, c *operation.Call, in previewAutomationInput) (*operation.Reply[view.AutomationPreview], error) {
	a := &v1beta1.Automation{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace()}, Spec: v1beta1.AutomationSpec{BrandRef: v1beta1.LocalRef{Name: c.Brand.Name}},
	}
	if id := in.Body.AutomationID; id != nil {
		cached, err := s.Reader.AutomationByID(ctx, c.Namespace(), c.Brand.Name, int64(*id))
		if errors.Is(err, read.ErrNotFound) {
			return nil, problem.Field("automation_id", "The brand has no such automation.")
		}
		if err != nil {
			return nil, err
		}
		a = cached.DeepCopy()
	}
	if err := s.applyAutomation(ctx, c, &in.Body.AutomationFields, a); err != nil {
		return nil, err
	}
	times, err := s.upcoming(a, c.Brand)
	if err != nil {
		return nil, err
	}
	out := view.AutomationPreview{NextTimes: []view.Time{}, Items: []view.AutomationItem{}}
	for _, t := range times {
		out.NextTimes = append(out.NextTimes, view.Time{Time: t})
	}
	// The cache does not have the labels of shorts.
	chooser := &source.Chooser{Client: s.Reader.Live, Clock: s.Clock}
	next, why, err := chooser.Preview(ctx, a, len(times))
	if err != nil {
		return nil, err
	}
	for i := range next {
		out.Items = append(out.Items, view.AutomationItemOf(&next[i]))
	}
	if why != "" {
		out.ItemsMessage = ptr.To(why + ".")
	}
	return &operation.Reply[view.AutomationPreview]{Data: out}, nil
}

// upcoming returns the next times of an automation that its stop rules allow, at most previewed.
func (s *Service) upcoming(a *v1beta1.Automation, brand *v1beta1.Brand) ([]time.Time, error) {
	times, err := build.Schedule(a, brand)
	if err != nil {
		return nil, specProblem(err)
	}
	from, most, stop := s.Clock.Now(), previewed, ptr.Deref(a.Spec.Stop, v1beta1.AutomationStop{})
	if until := a.Status.HandledUntil; until != nil && until.After(from) { // the runs of these times have started
		from = until.Time
	}
	if n := stop.AfterRuns; n != nil {
		most = int(min(previewed, max(0, *n-a.Status.Runs)))
	}
	return slices.DeleteFunc(times.Next(from, most), func(t time.Time) bool { return stop.At != nil && !t.Before(stop.At.Time) }), nil
}

func (s *Service) cachedAutomation(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.Automation, error) {
	a, err := s.Reader.AutomationByID(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	return a, err
}

// ownAutomation returns an automation of the brand as the API server has it.
func (s *Service) ownAutomation(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.Automation, error) {
	cached, err := s.cachedAutomation(ctx, c, id)
	if err != nil {
		return nil, err
	}
	a := &v1beta1.Automation{}
	return a, s.present(ctx, cached, a, "automation")
}

func (s *Service) automationReply(ctx context.Context, c *operation.Call, a *v1beta1.Automation) (*operation.Reply[view.Automation], error) {
	out, err := s.automationView(ctx, c, a)
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.Automation]{Data: *out}, nil
}

func (s *Service) automationView(ctx context.Context, c *operation.Call, a *v1beta1.Automation) (*view.Automation, error) {
	ids, err := s.automationAccounts(ctx, c, a)
	if err != nil {
		return nil, err
	}
	return view.AutomationOf(read.ID(a), a, ids), nil
}

// automationAccounts returns the ids of the accounts that an automation names. Accounts that do not exist are omitted.
func (s *Service) automationAccounts(ctx context.Context, c *operation.Call, a *v1beta1.Automation) ([]int64, error) {
	if len(a.Spec.Publish.Accounts) == 0 {
		return nil, nil
	}
	all, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	var out []int64
	for i := range a.Spec.Publish.Accounts {
		j := slices.IndexFunc(all, func(o v1beta1.SocialAccount) bool { return o.Name == a.Spec.Publish.Accounts[i].Name })
		if j >= 0 {
			out = append(out, read.ID(&all[j]))
		}
	}
	return out, nil
}
