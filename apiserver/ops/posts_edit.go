// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

var editPostSpec = operation.Spec{
	Name: "update_post", Method: http.MethodPatch, Path: "/api/v1/posts/{id}", Tag: "Posting",
	Summary: "Update a post",
	Description: "Changes the time or the content of a post that is a draft or scheduled. " +
		"Members that the body omits stay unchanged; a change of `scheduled_at` alone keeps everything else. " +
		"The rules are those of `POST /posts`, and an unknown member is a 422 with `details.field`. " +
		"The media and the connection of the account are not checked again. " +
		"After this response, the post is published as shown. " +
		"A post in another state, or whose publication starts at the same time, is a 409 `conflict` with `details.status`. " +
		"Edited content needs a new approval if the brand requires approvals: the post is a draft, and `approval.state` is `waiting`. " +
		"A post whose PostBatch Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`. " +
		"A request that changes nothing returns 200.",
	Scope: v1beta1.ScopePostsWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Strict: true,
	Errors: []catalog.Code{catalog.Conflict, catalog.ScheduleTooSoon},
	Unprocessable: []catalog.Code{
		catalog.ValidationFailed, catalog.ShortNotPostable, catalog.PlatformNotConnected, catalog.PlatformRateLimited,
		catalog.CaptionTooLong, catalog.TitleTooLong,
	},
	BodyExample: exampleEditPostBody, DataExample: exampleEditedPost(),
}

type editPostInput struct {
	ID   operation.ID `path:"id" doc:"The post id: id in the list of posts, or share_id of POST /posts."`
	Body EditPost
}

// EditPost is the body of an edit of a post. Absent members leave the post unchanged.
type EditPost struct {
	ScheduledAt            *time.Time                   `json:"scheduled_at,omitempty" doc:"At least 5 minutes and at most 365 days ahead."`
	Title                  *string                      `json:"title,omitempty" maxLength:"10000" doc:"An empty text removes it. platform_customizations take precedence."`
	Caption                *string                      `json:"caption,omitempty" maxLength:"10000" doc:"Sent unchanged, without the short's hashtags. An empty text removes it. platform_customizations take precedence."`
	PlatformCustomizations map[string]PostCustomization `json:"platform_customizations,omitempty" doc:"By account id, which is social_data_id of the post: title, caption, and platform settings. Settings that are not given stay unchanged."`
}

func (s *Service) editPost(ctx context.Context, c *operation.Call, in editPostInput) (*operation.Reply[view.Post], error) {
	reply := &operation.Reply[view.Post]{}
	changed, err := s.changePost(ctx, c, in.ID, func(ctx context.Context, p *v1beta1.Post) (bool, error) {
		now := s.clusterNow()
		if state, ok := posting.EditState(p, now); !ok {
			return false, problem.New(catalog.Conflict, problem.Details{"post_id": int64(in.ID), "status": string(state)}).
				Saying("Only a post that is a draft or scheduled can be edited.")
		}
		if err := s.undeclaredPost(ctx, p); err != nil {
			return false, err
		}
		account, err := s.accountOf(ctx, p)
		if err != nil {
			return false, err
		}
		e, tooSoon, err := s.postEdit(&in.Body, p, account, now)
		if err != nil {
			return false, err
		}
		spec, issues, err := s.editedPost(ctx, c, p, e, account, now)
		if err != nil {
			return false, err
		}
		if tooSoon != nil {
			issues = append([]posting.Issue{*tooSoon}, issues...)
		}
		if refused := refusedEdit(issues); refused != nil {
			return false, refused
		}
		reply.Meta.Warnings = warningsOf(issues)
		brand, err := s.liveBrand(ctx, c)
		if err != nil {
			return false, err
		}
		c.Brand = brand // the response reports the same policy
		by := audit.From(ctx)
		if !posting.Amend(p, &spec, brand, by.Name(), s.Clock.Now()) {
			return false, nil
		}
		p.Spec = spec
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	reply.Data = changed.Data
	return reply, nil
}

// liveBrand returns the brand of a call, as the cluster has it now: the cache may not have a stricter approval policy
// yet.
func (s *Service) liveBrand(ctx context.Context, c *operation.Call) (*v1beta1.Brand, error) {
	b := &v1beta1.Brand{}
	err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(c.Brand), b)
	if apierrors.IsNotFound(err) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the brand of a post: %w", err)
	}
	return b, nil
}

// undeclaredPost returns a conflict error if a tool applies the batch of a post from a manifest.
func (s *Service) undeclaredPost(ctx context.Context, p *v1beta1.Post) error {
	b, err := s.batchOf(ctx, p)
	if err != nil {
		return err
	}
	return undeclaredBatch(read.ID(p), b)
}

// batchOf returns the batch of a post, as the cluster has it now; an empty one if it does not exist.
func (s *Service) batchOf(ctx context.Context, p *v1beta1.Post) (*v1beta1.PostBatch, error) {
	b := &v1beta1.PostBatch{}
	err := s.Reader.Live.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Batch}, b)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading the batch of a post: %w", err)
	}
	return b, nil
}

// accountOf returns the social account of a post; nil if it does not exist.
func (s *Service) accountOf(ctx context.Context, p *v1beta1.Post) (*v1beta1.SocialAccount, error) {
	a := &v1beta1.SocialAccount{}
	err := s.Reader.Cached.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Account}, a)
	if apierrors.IsNotFound(err) || err == nil && !a.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a social account: %w", err)
	}
	return a, nil
}

// postEdit returns the edit that a body requests for a post, and an issue if its time is too early. The error is a
// *problem.Problem if the body is invalid.
func (s *Service) postEdit(body *EditPost, p *v1beta1.Post, account *v1beta1.SocialAccount, now time.Time) (posting.Edit, *posting.Issue, error) {
	e, targets := posting.Edit{}, []posting.Target{}
	if account != nil {
		targets = append(targets, posting.Target{Platform: p.Spec.Platform, Account: account})
	}
	refused := customize(targets, &PostRequest{PlatformCustomizations: body.PlatformCustomizations})
	e.Text = v1beta1.PostText{Title: body.Title, Caption: body.Caption}
	for _, t := range targets {
		e.Text, e.Settings = posting.Texted(t.Own, e.Text), t.Settings
	}
	var tooSoon *posting.Issue
	// A repeated request for the present time is no change, even if that time is near.
	if at := body.ScheduledAt; at != nil && (p.Spec.Immediate || !at.Equal(p.Spec.ScheduledAt.Time)) {
		due, soon, invalid := s.dueTime(*at, now)
		if invalid != nil {
			refused = append(refused, invalid)
		}
		if p.Spec.Immediate || !due.Equal(p.Spec.ScheduledAt.Time) {
			e.ScheduledAt, tooSoon = &due, soon
		}
	}
	if invalid := problem.All(refused); invalid != nil {
		return e, nil, invalid
	}
	return e, tooSoon, nil
}

// editedPost returns the spec of a post with an edit, and the issues of the result.
func (s *Service) editedPost(ctx context.Context, c *operation.Call, p *v1beta1.Post, e posting.Edit, account *v1beta1.SocialAccount, now time.Time) (spec v1beta1.PostSpec, issues []posting.Issue, err error) {
	w := &resolvedPosts{ask: posting.Ask{Now: now, At: posting.DueAt(p)}}
	var uses []time.Time
	if e.ScheduledAt != nil {
		w.ask.At = *e.ScheduledAt
		if account != nil {
			if uses, err = s.otherUses(ctx, p, account, w.ask); err != nil {
				return spec, nil, err
			}
		}
	}
	w.targets = []posting.Target{{Settings: e.Settings}}
	if w.ask.Images, err = s.coverImages(ctx, c, w); err != nil {
		return spec, nil, err
	}
	var slides *posting.Content
	if e.Settings.Cover != nil && e.Settings.Cover.Slide != nil && p.Spec.Media.Kind == catalog.MediaVideo {
		if slides, err = s.slidesOf(ctx, c, p); err != nil {
			return spec, nil, err
		}
	}
	spec, issues = posting.Edited(p, e, posting.ContentOfPost(p, slides), account, uses, w.ask)
	return spec, issues, nil
}

// otherUses returns the times of other posts that count against the rate limit of the account of a post.
func (s *Service) otherUses(ctx context.Context, p *v1beta1.Post, account *v1beta1.SocialAccount, ask posting.Ask) ([]time.Time, error) {
	uses, err := s.Reader.Uses(ctx, account, ask.Now, ask.At)
	if err != nil {
		return nil, err
	}
	own, counts := posting.Use(p)
	for i, at := range uses {
		if counts && at.Equal(own) {
			return append(uses[:i:i], uses[i+1:]...), nil
		}
	}
	return uses, nil
}

// slidesOf returns the present content of the short of a post; nil if the slideshow does not exist any more.
func (s *Service) slidesOf(ctx context.Context, c *operation.Call, p *v1beta1.Post) (*posting.Content, error) {
	short, err := s.Reader.WholeShort(ctx, c.Namespace(), c.Brand.Name, p.Spec.ShortID)
	if errors.Is(err, read.ErrNotFound) || err == nil && short.Show == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return posting.ContentOf(p.Spec.ShortID, short.Show, short.Renders), nil
}

// refusedEdit returns the problem of the issues that are errors, each once; nil for none.
func refusedEdit(issues []posting.Issue) error {
	var all []*problem.Problem
	for i := range issues {
		if !issues[i].Warning {
			all = append(all, asProblem(&issues[i]))
		}
	}
	if p := problem.All(all); p != nil {
		p.Status = http.StatusUnprocessableEntity
		return p
	}
	return nil
}
