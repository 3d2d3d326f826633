// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// PostRequest is the body of a request to post a short, or to validate such a request.
type PostRequest struct {
	ShortID                operation.ID                 `json:"short_id" doc:"The short to publish."`
	SocialDataIDs          []operation.ID               `json:"social_data_ids,omitempty" doc:"Either this or platforms is required; with both, these accounts are first."`
	Platforms              []PlatformWish               `json:"platforms,omitempty" doc:"All accounts of the brand on each platform."`
	ScheduledAt            *time.Time                   `json:"scheduled_at,omitempty" nullable:"true" doc:"At least 5 minutes and at most 365 days ahead. Default: now."`
	Media                  *string                      `json:"media,omitempty" doc:"video: the video of the current slides. photo_set: the slides as photos. auto: the video, or the slides of a short that was never rendered. If the slides changed since the render, auto and video are a conflict (video_stale). Default auto."`
	Title                  *string                      `json:"title,omitempty" nullable:"true" maxLength:"10000" doc:"For all accounts. platform_customizations take precedence. Default: the short's."`
	Caption                *string                      `json:"caption,omitempty" nullable:"true" maxLength:"10000" doc:"Sent to all accounts unchanged, without the short's hashtags. platform_customizations take precedence. Default: the short's."`
	PostingMode            *string                      `json:"posting_mode,omitempty" doc:"direct publishes. draft uploads it for a person to publish, where supported. Default direct."`
	AutoAddMusic           *bool                        `json:"auto_add_music,omitempty" doc:"Lets TikTok add music to a photo set. Default false."`
	PlatformCustomizations map[string]PostCustomization `json:"platform_customizations,omitempty" doc:"By account id: title, caption, and platform settings in place of the brand's posting defaults."`
}

// PlatformWish is a platform's name as sent. Unknown names have an error code of their own.
type PlatformWish string

// Schema returns the schema of a platform's name.
func (PlatformWish) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "One of " + strings.Join(catalog.Platforms(), ", ") + ".", Examples: []any{catalog.TikTok},
	}
}

// PostCustomization holds the texts and the platform settings of one account's post.
type PostCustomization struct {
	Title   *string `json:"title,omitempty" nullable:"true" doc:"Default: the request's title, else the short's."`
	Caption *string `json:"caption,omitempty" nullable:"true" doc:"Sent unchanged, without the short's hashtags. Default: the request's caption, else the short's."`
	view.PostSettings
}

// TransformSchema adds the accepted values of the catalog to the schema.
func (PostRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["posting_mode"].Enum = []any{catalog.PostDraft, catalog.PostDirect}
	s.Properties["media"].Enum = []any{catalog.MediaAuto, catalog.MediaVideo, catalog.MediaPhotoSet}
	return s
}

// resolvedPosts is a request to post whose targets are accounts of the brand.
type resolvedPosts struct {
	ask     posting.Ask
	targets []posting.Target
	// media is the requested media: catalog.MediaAuto, MediaVideo or MediaPhotoSet.
	media string
	// scheduledAt is nil for posting now. tooSoon is set if the time is too early.
	scheduledAt *time.Time
	tooSoon     *posting.Issue
}

// resolvePosts finds the accounts of the brand that a request to post names. The error is a *problem.Problem if the
// body is invalid.
func (s *Service) resolvePosts(ctx context.Context, c *operation.Call, body *PostRequest) (*resolvedPosts, error) {
	var refused []*problem.Problem
	if len(body.SocialDataIDs) == 0 && len(body.Platforms) == 0 {
		refused = append(refused,
			problem.Field("social_data_ids", "social_data_ids or platforms must name at least one target."))
	}
	platforms := make([]v1beta1.Platform, len(body.Platforms))
	for i, p := range body.Platforms {
		platforms[i] = v1beta1.Platform(p)
		if known := catalog.Platforms(); !slices.Contains(known, string(p)) && len(refused) < len(known) {
			refused = append(refused, problem.New(catalog.UnsupportedPlatform, problem.Details{
				"platform": shortened(string(p)), "supported_platforms": known,
			}))
		}
	}
	all, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	named, invalid := namedAccounts(body.SocialDataIDs, all)
	if invalid != nil {
		refused = append(refused, invalid)
	}
	w := &resolvedPosts{targets: posting.Targets(named, platforms, all)}
	switch {
	case len(refused) > 0: // the targets are unknown
	case len(w.targets) > catalog.MaxTargets:
		refused = append(refused, problem.Field("social_data_ids",
			fmt.Sprintf("At most %d targets are allowed, not %d.", catalog.MaxTargets, len(w.targets))))
	default:
		refused = customize(w.targets, body)
	}
	now := s.clusterNow()
	w.ask = posting.Ask{Mode: catalog.PostDirect, Now: now, At: now, Missing: s.Missing, Defaults: c.Brand.Spec.PostingDefaults}
	if body.PostingMode != nil {
		w.ask.Mode = *body.PostingMode
	}
	w.media = catalog.MediaAuto
	if body.Media != nil {
		w.media = *body.Media
	}
	if body.AutoAddMusic != nil {
		w.ask.AutoAddMusic = *body.AutoAddMusic
	}
	if body.ScheduledAt != nil {
		at, tooSoon, invalid := s.dueTime(*body.ScheduledAt, now)
		if invalid != nil {
			refused = append(refused, invalid)
		}
		w.tooSoon = tooSoon
		w.scheduledAt, w.ask.At = &at, at
	}
	if p := problem.All(refused); p != nil {
		return nil, p
	}
	return w, nil
}

// clusterNow returns the time of the cluster, which dates a batch. A batch that is dated more than two minutes after
// its time is never posted.
func (s *Service) clusterNow() time.Time {
	now := s.Clock.Now()
	if s.Ahead != nil {
		now = now.Add(-s.Ahead())
	}
	return now
}

// dueTime returns the time of publication for a requested time, an issue if it is too early, and a problem if it is too
// far ahead.
func (s *Service) dueTime(wanted, now time.Time) (at time.Time, tooSoon *posting.Issue, refused *problem.Problem) {
	if posting.TooFar(wanted, now) {
		refused = problem.Field("scheduled_at",
			fmt.Sprintf("scheduled_at may be at most %d days ahead.", int(catalog.MaxScheduleAhead/(24*time.Hour))))
	}
	tooSoon = posting.TooSoon(wanted, now, cmp.Or(s.ScheduleLead, catalog.MinScheduleLead))
	// The cluster stores whole seconds, and no post may be published early.
	at = wanted.UTC().Truncate(time.Second)
	if at.Before(wanted) {
		at = at.Add(time.Second)
	}
	return at, tooSoon, refused
}

// namedAccounts returns the accounts with the ids, in the order of the ids, and a problem for ids without an account.
func namedAccounts(
	wanted []operation.ID, all []v1beta1.SocialAccount,
) (out []*v1beta1.SocialAccount, refused *problem.Problem) {
	invalid := []int64{}
	for _, id := range wanted {
		i := slices.IndexFunc(all, func(a v1beta1.SocialAccount) bool { return read.ID(&a) == int64(id) })
		if i >= 0 {
			out = append(out, &all[i])
		} else if !slices.Contains(invalid, int64(id)) {
			invalid = append(invalid, int64(id))
		}
	}
	if len(invalid) > 0 {
		p := problem.Field("social_data_ids", "social_data_ids names accounts that the brand does not have.")
		p.Details["invalid_ids"] = invalid[:min(len(invalid), 100)]
		return out, p
	}
	return out, nil
}

// customize sets the texts and settings that a request chooses for the targets. It returns the problems of those
// settings.
func customize(targets []posting.Target, body *PostRequest) (refused []*problem.Problem) {
	all := v1beta1.PostText{Title: body.Title, Caption: body.Caption}
	for i := range targets {
		targets[i].Own = all
	}
	for _, key := range slices.Sorted(maps.Keys(body.PlatformCustomizations)) {
		t := body.PlatformCustomizations[key]
		id, err := operation.ParseID(key)
		i := slices.IndexFunc(targets, func(t posting.Target) bool { return t.Account != nil && t.ID() == int64(id) })
		if err != nil || i < 0 {
			if len(refused) < catalog.MaxTargets {
				refused = append(refused, problem.Field("platform_customizations."+shortened(key),
					fmt.Sprintf("platform_customizations has the key %q, which is not the id of a targeted account.", shortened(key))))
			}
			continue
		}
		if t.Cover != nil && t.Cover.Chosen() != 1 {
			refused = append(refused,
				problem.Field("platform_customizations."+key+".cover", "cover must have one of slide, offset_ms and media_id."))
		}
		targets[i].Own = posting.Texted(v1beta1.PostText{Title: t.Title, Caption: t.Caption}, all)
		targets[i].Settings = t.Spec()
	}
	return refused
}

// verdicts validates the short and every target. A missing short is a problem, an archived one is restored.
func (s *Service) verdicts(ctx context.Context, c *operation.Call, w *resolvedPosts, id operation.ID) (*posting.Content, []posting.Verdict, error) {
	short, err := s.liveShort(ctx, c, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, nil, err
	}
	var content *posting.Content
	if short.Video != nil {
		content = posting.ContentOfVideo(int64(id), short.Video)
	} else {
		content = posting.ContentOf(int64(id), short.Show, short.Renders)
	}
	content.Wanted = w.media
	for i := range w.targets {
		t := &w.targets[i]
		if t.Account == nil {
			continue
		}
		if t.Uses, err = s.Reader.Uses(ctx, t.Account, w.ask.Now, w.ask.At); err != nil {
			return nil, nil, err
		}
		if t.Same, err = s.Reader.SamePosts(ctx, c.Namespace(), c.Brand.Name, int64(id), t.Account.Name); err != nil {
			return nil, nil, err
		}
	}
	if w.ask.Images, err = s.coverImages(ctx, c, w); err != nil {
		return nil, nil, err
	}
	return content, posting.Judge(content, w.ask, w.targets), nil
}

// coverImages returns the media items that targets choose as covers, by id. Items that the brand may not use, or that
// are being deleted, are omitted.
func (s *Service) coverImages(ctx context.Context, c *operation.Call, w *resolvedPosts) (map[int64]*v1beta1.MediaAsset, error) {
	out := map[int64]*v1beta1.MediaAsset{}
	var own []v1beta1.PostSettings
	for i := range w.targets {
		own = append(own, w.targets[i].Settings)
	}
	for _, id := range posting.CoverImages(w.ask.Defaults, own...) {
		m, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, id)
		switch {
		case errors.Is(err, read.ErrNotFound) || err == nil && m == nil:
		case err != nil:
			return nil, err
		default:
			now, err := s.presentMedia(ctx, m)
			if err != nil {
				return nil, err
			}
			if now != nil {
				out[id] = now
			}
		}
	}
	return out, nil
}

// presentMedia returns a media item as the API server has it, because the cache can show a deleted item; nil if the
// item is deleted or being deleted.
func (s *Service) presentMedia(ctx context.Context, m *v1beta1.MediaAsset) (*v1beta1.MediaAsset, error) {
	now := &v1beta1.MediaAsset{}
	err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(m), now)
	if apierrors.IsNotFound(err) || err == nil && (now.UID != m.UID || !now.DeletionTimestamp.IsZero()) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a cover: %w", err)
	}
	return now, nil
}

// declined returns the reason why a target is refused, or nil. Problems of the content apply to every account.
func declined(content *posting.Content, v *posting.Verdict) *posting.Issue {
	if v.Account != nil {
		if i := posting.FirstError(content.Problems()); i != nil {
			return i
		}
	}
	return posting.FirstError(v.Issues)
}

// policyIssue returns the issue that the brand's approval policy causes; nil for none.
func policyIssue(c *operation.Call) *posting.Issue {
	e, _ := catalog.LookupError(catalog.ApprovalRequired)
	i := &posting.Issue{Code: e.Code, Message: e.Message, Retryable: e.Retryable}
	switch c.Brand.Spec.Approval {
	case posting.ApprovalHold:
		i.Warning, i.Message = true, "The posts will be drafts until a person approves them."
	case posting.ApprovalDeny:
		i.Message = "The brand's policy allows only posts that a person has approved."
	default:
		return nil
	}
	return i
}

// suspendedIssue warns while posting of the brand is suspended; nil otherwise.
func suspendedIssue(c *operation.Call) *posting.Issue {
	if !c.Brand.Spec.PostingSuspended {
		return nil
	}
	return &posting.Issue{
		Code: catalog.Conflict, Warning: true, Retryable: true, Details: posting.Details{"reason": posting.ReasonSuspended},
		Message: "Posting of the brand is suspended: posts wait until it is resumed, and fail if they are more than six hours late then.",
	}
}

func socialID(v *posting.Verdict) *int64 {
	if v.Account == nil {
		return nil
	}
	id := v.ID()
	return &id
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }
