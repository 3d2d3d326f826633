// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"net/http"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

var jobSpec = operation.Spec{
	Name: "get_job", Method: http.MethodGet, Path: "/api/v1/jobs/{id}", Tag: "Jobs",
	Summary:     "The newest work on a short",
	Description: "Poll until `status` is `succeeded` or `failed`, no faster than `poll_after_seconds`. A failed job is a 200 with an `error`. The id is the short id.",
	Scope:       v1alpha1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, NoSuch: catalog.JobNotFound,
	Errors: []catalog.Code{catalog.JobNotFound}, Polls: true, DataExamples: map[string]any{"slideshow": exampleJob, "video": exampleVideoMade},
}

func (s *Service) job(ctx context.Context, c *auth.Caller, in byID) (*operation.Reply[view.Job], error) {
	short, err := s.glance(ctx, c, in.ID, catalog.JobNotFound)
	if err != nil {
		return nil, err
	}
	if !short.HasJob() {
		return nil, problem.New(catalog.JobNotFound, nil)
	}
	return s.jobReply(short)
}

var shortSpec = operation.Spec{
	Name: "get_short", Method: http.MethodGet, Path: "/api/v1/shorts/{id}", Tag: "Content",
	Summary:     "One short with its slides or clips",
	Description: "Pictures and the video are addresses that work without a key for 7 days; each read makes new ones.",
	Scope:       v1alpha1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExamples: map[string]any{"slideshow": exampleShort, "video": exampleFilm},
}

func (s *Service) short(ctx context.Context, c *auth.Caller, in byID) (*operation.Reply[view.ShortDetail], error) {
	short, err := s.gather(ctx, c, in.ID, catalog.NotFound)
	if err != nil {
		return nil, err
	}
	if short.Posts, err = s.postsOf(ctx, c, int64(in.ID)); err != nil {
		return nil, err
	}
	detail, err := short.Detail(s.Clock.Now())
	if err != nil {
		return nil, err
	}
	reply := &operation.Reply[view.ShortDetail]{Data: *detail}
	var made []v1alpha1.Normalization
	if short.Video != nil {
		made = short.Video.Status.Normalizations
	} else {
		made = short.Show.Status.Normalizations
	}
	for _, n := range made {
		reply.Meta.Normalizations = append(reply.Meta.Normalizations, operation.Normalization{
			SlideID: n.SlideID, OverlayIndex: n.OverlayIndex, Field: n.Field, From: n.From, To: n.To, Reason: n.Reason,
		})
	}
	return reply, nil
}
