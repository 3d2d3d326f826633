// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/renders"
)

var renderSpec = operation.Spec{
	Name: "render_slideshow", Method: http.MethodPost, Path: "/api/v1/slideshows/{id}/render", Tag: "Generation",
	Summary: "Render a slideshow",
	Description: "The slideshow must have slides and no current video. " +
		"The response has a job; `result.video_url` is set when it has succeeded.",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Generation, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.JobInProgress, catalog.Conflict, catalog.QuotaExceeded}, Polls: true,
	BodyExample: map[string]any{"format": "video"},
	DataExample: view.Job{
		JobID: 123, Kind: view.JobKind(catalog.JobRender), Status: view.JobStatus(v1beta1.WorkQueued),
		StatusMessage: "Waiting for a free worker.", PollAfterSeconds: 30, Attempt: 1,
		CreatedAt: exampleTime, RenderRequestedAt: &exampleTime, EstimatedCompletionAt: &view.Time{Time: exampleTime.Add(time.Minute)},
	},
}

type renderInput struct {
	ID   operation.ID `path:"id" doc:"The short id."`
	Body RenderSlideshow
}

func (s *Service) renderSlideshow(ctx context.Context, c *operation.Call, in renderInput) (*operation.Reply[view.Job], error) {
	short, err := s.slideshow(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	if short.ArchivedAt != nil {
		if err := refusal(short); err != nil {
			return nil, err
		}
		if short, err = s.liveSlideshow(ctx, c, in.ID); err != nil {
			return nil, err
		}
	}
	if again, ok := c.Resumed(); ok {
		if reply, err := s.requested(ctx, short, again.Name); reply != nil || err != nil {
			return reply, err
		}
	}
	if err := refusal(short); err != nil {
		return nil, err
	}
	if err := s.admit(ctx, c, quota.Stored{Objects: 1}); err != nil {
		return nil, err
	}
	job, err := s.storeRender(ctx, c, short)
	if err != nil {
		return nil, err
	}
	short.Renders = append([]v1beta1.RenderJob{*job}, short.Renders...)
	return s.jobReply(short)
}

// requested returns the render that an earlier run of the same request created; nil if that run created none.
func (s *Service) requested(ctx context.Context, short *view.Short, name string) (*operation.Reply[view.Job], error) {
	job := &v1beta1.RenderJob{}
	err := s.Reader.Live.Get(ctx, client.ObjectKey{Namespace: short.Show.Namespace, Name: name}, job)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a render: %w", err)
	}
	short.Renders = slices.DeleteFunc(slices.Clone(short.Renders), func(r v1beta1.RenderJob) bool { return r.Name == name })
	short.Renders = append([]v1beta1.RenderJob{*job}, short.Renders...)
	reply, err := s.jobReply(short)
	if err == nil {
		reply.Found = true
	}
	return reply, err
}

// refusal returns the reason why a short cannot be rendered now, or nil.
func refusal(short *view.Short) error {
	switch status := short.Status(); status {
	case view.StatusProcessing:
		return problem.New(catalog.JobInProgress, problem.Details{"short_id": short.ID, "kind": catalog.JobSlideshow}).
			Saying("The slides are still being created.")
	case view.StatusDraft, view.StatusFailed:
		return problem.New(catalog.Conflict, problem.Details{"status": status}).Saying("The short has no finished slides to render.")
	}
	if r := short.RunningRender(); r != nil {
		return running(short.ID, r)
	}
	if v := short.Current(); v != nil {
		video, err := short.VideoURL()
		if err != nil {
			return err
		}
		details := problem.Details{"short_id": short.ID, "video_url": video}
		if t := v.FinishedAt; t != nil {
			details["rendered_at"] = view.Time{Time: t.Time}
		}
		return problem.New(catalog.Conflict, details).Saying("The current slides already have a video.")
	}
	return nil
}

func running(id int64, r *v1beta1.RenderJob) *problem.Problem {
	return problem.New(catalog.JobInProgress, problem.Details{
		"short_id": id, "kind": catalog.JobRender, "render_requested_at": view.Time{Time: r.CreationTimestamp.Time},
	}).Saying("A render of this short is running.")
}

// storeRender creates the RenderJob of the current revision. Its name is derived from the slideshow and the revision.
// So of two concurrent requests one creates it and the other gets a conflict. A retry after a failed render uses the
// next number.
func (s *Service) storeRender(ctx context.Context, c *operation.Call, short *view.Short) (*v1beta1.RenderJob, error) {
	show := short.Show
	accepted, err := c.Accept(ctx, func(context.Context) (int64, string, error) { return short.ID, renders.Name(show, short.Renders), nil })
	if err != nil {
		return nil, err
	}
	job, err := renders.New(show, accepted.Name, show.Status.Revision, s.Client.Scheme())
	if err != nil {
		return nil, err
	}
	err = s.Client.Create(ctx, job)
	if apierrors.IsAlreadyExists(err) {
		other := &v1beta1.RenderJob{}
		if err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(job), other); err != nil {
			return nil, fmt.Errorf("reading a render: %w", err)
		}
		return nil, running(short.ID, other)
	}
	if err != nil {
		return nil, fmt.Errorf("creating a render: %w", err)
	}
	return job, nil
}
