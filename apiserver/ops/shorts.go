// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"net/http"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

var jobSpec = operation.Spec{
	Name: "get_job", Method: http.MethodGet, Path: "/api/v1/jobs/{id}", Tag: "Jobs",
	Summary: "Get a job",
	Description: "Poll until `status` is `succeeded` or `failed`, no faster than `poll_after_seconds`. " +
		"With `wait`, the response is delayed until then. A failed job is a 200 with an `error`. " +
		"The id is the short id.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, NoSuch: catalog.JobNotFound,
	Errors: []catalog.Code{catalog.JobNotFound}, Polls: true, Waits: true, DataExamples: map[string]any{"slideshow": exampleJob, "video": exampleVideoMade},
}

type jobInput struct {
	ID   operation.ID `path:"id" doc:"The short id."`
	Wait int          `query:"wait" minimum:"0" maximum:"25" default:"0" doc:"Seconds to wait for the job to succeed or fail. A busy service responds earlier."`
}

// job returns the newest work once it is settled or the wait is over.
func (s *Service) job(ctx context.Context, c *operation.Call, in jobInput) (reply *operation.Reply[view.Job], err error) {
	var changed <-chan struct{}
	if in.Wait > 0 {
		var stop func()
		changed, stop = s.Reader.Index.Watch(c.Namespace(), int64(in.ID))
		defer stop()
	}
	err = c.Wait(ctx, time.Duration(in.Wait)*time.Second, changed, func() (bool, error) {
		short, err := s.summary(ctx, c, in.ID, catalog.JobNotFound)
		if err != nil {
			return false, err
		}
		if !short.HasJob() {
			return false, problem.New(catalog.JobNotFound, nil)
		}
		if reply, err = s.jobReply(short); err != nil {
			return false, err
		}
		return v1beta1.WorkState(reply.Data.Status).Settled(), nil
	})
	return reply, err
}

var shortSpec = operation.Spec{
	Name: "get_short", Method: http.MethodGet, Path: "/api/v1/shorts/{id}", Tag: "Content",
	Summary:     "Get a short",
	Description: "The URLs of images and the video need no key and are valid for 7 days; each read returns new ones.",
	Scope:       v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExamples: map[string]any{"slideshow": exampleShort, "video": exampleFilm},
}

var slideshowSpec = operation.Spec{
	Name: "get_slideshow", Method: http.MethodGet, Path: "/api/v1/slideshows/{id}", Tag: "Content",
	Summary: "Get a slideshow", Description: "The same as `GET /shorts/{id}`, for slideshows only.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleShort,
}

func (s *Service) slideshowByID(ctx context.Context, c *operation.Call, in byID) (*operation.Reply[view.ShortDetail], error) {
	return ofType(catalog.ShortSlideshow)(s.short(ctx, c, in))
}

var filmSpec = operation.Spec{
	Name: "get_video", Method: http.MethodGet, Path: "/api/v1/videos/{id}", Tag: "Content",
	Summary: "Get a hook-and-demo video", Description: "The same as `GET /shorts/{id}`, for hook-and-demo videos only.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleFilm,
}

func (s *Service) videoByID(ctx context.Context, c *operation.Call, in byID) (*operation.Reply[view.ShortDetail], error) {
	return ofType(catalog.ShortUGC)(s.short(ctx, c, in))
}

// ofType returns a function that passes on the detail of a short of the type; another type is not found.
func ofType(want string) func(*operation.Reply[view.ShortDetail], error) (*operation.Reply[view.ShortDetail], error) {
	return func(reply *operation.Reply[view.ShortDetail], err error) (*operation.Reply[view.ShortDetail], error) {
		if err == nil && string(reply.Data.ShortType) != want {
			return nil, problem.New(catalog.NotFound, nil)
		}
		return reply, err
	}
}

func (s *Service) short(ctx context.Context, c *operation.Call, in byID) (*operation.Reply[view.ShortDetail], error) {
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
	var made []v1beta1.Normalization
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
