// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/fetch"
	"github.com/reelops/reelops/internal/quota"
)

var videoSpec = operation.Spec{
	Name: "create_video", Method: http.MethodPost, Path: "/api/v1/videos", Tag: "Generation",
	Summary: "Make a hook-and-demo video",
	Description: "An avatar speaks the hook, then clips show the product. Only the avatar is needed, by `avatar_media_id` or `avatar_url`. " +
		"Answers at once with a job; `result.video_url` is filled when it has succeeded. " +
		"An avatar's clip with sound of its own keeps it; over a silent one the hook is spoken. The words appear as they are spoken, and music is quieter meanwhile. " +
		"It counts as one slideshow of the plan. A clip that cannot be fetched or read fails the job, and the error's `details.field` says which.",
	Scope: v1alpha1.ScopeContentWrite, ForBrand: true, Bucket: operation.Generation, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.QuotaExceeded, catalog.InsufficientCredits}, Polls: true,
	BodyExample: map[string]any{
		"hook_text": "I slept badly for ten years. Then I changed one thing.", "avatar_media_id": 41, "product_demo_media_ids": []int{42},
		"background_music_id": 7, "loop_count": 2, "text_settings": map[string]any{"position": map[string]any{"x": 50, "y": 30}, "align": "center"},
	},
	DataExample: exampleVideoJob,
}

func (s *Service) createVideo(ctx context.Context, c *auth.Caller, in struct{ Body CreateVideo }) (*operation.Reply[view.Job], error) {
	body := &in.Body
	spec, err := body.spec(c.Brand.Name)
	if err != nil {
		return nil, err
	}
	var warnings []operation.Warning
	if spec.Avatar, warnings, err = s.avatar(ctx, c, body); err != nil {
		return nil, err
	}
	if spec.Demos, err = s.demos(ctx, c, body); err != nil {
		return nil, err
	}
	if len(spec.Demos) == 0 {
		warnings = append(warnings, operation.Warning{Code: "no_product_demos", Message: "There are no product demos: the video shows the avatar alone."})
	}
	if spec.Music, err = s.music(ctx, c, body.BackgroundMusicID); err != nil {
		return nil, err
	}
	if p := s.videoVoice(c, spec); p != nil {
		return nil, p
	}
	v, found, err := accept(ctx, s, c, wanted[*v1alpha1.Video]{
		object: &v1alpha1.Video{Spec: *spec}, finalizer: v1alpha1.FinalizerVideo, need: quota.Need{Slideshows: 1}, urls: spec.URLs(), named: read.VideoName,
		brand: func(v *v1alpha1.Video) string { return v.Spec.BrandRef.Name },
	})
	if apierrors.IsInvalid(err) {
		return nil, notTakenOf(err, body)
	}
	if err != nil {
		return nil, err
	}
	return s.accepted(ctx, c, v, found, warnings)
}

// Fields of the body that name clips.
const (
	fieldAvatar    = "avatar_media_id"
	fieldAvatarURL = "avatar_url"
	fieldDemos     = "product_demo_media_ids"
	fieldDemoURLs  = "product_demo_urls"
)

// Why a media item can be no clip of a video, as details.reason says it.
const (
	reasonNone     = "unknown"
	reasonNoAvatar = "not_an_avatar"
	reasonNoClip   = "not_a_clip"
	reasonNotReady = "not_ready_yet"
	reasonFailed   = "unusable"
	reasonShort    = "too_short"
)

// avatar finds who speaks: a clip that is ready, or an address that may be fetched from.
func (s *Service) avatar(ctx context.Context, c *auth.Caller, body *CreateVideo) (v1alpha1.ClipSource, []operation.Warning, error) {
	var none v1alpha1.ClipSource
	address := ""
	if body.AvatarURL != nil {
		address = *body.AvatarURL
	}
	if body.AvatarMediaID == nil {
		if address == "" {
			return none, nil, problem.Field(fieldAvatar, "avatar_media_id or avatar_url is required.")
		}
		return v1alpha1.ClipSource{URL: &address}, nil, s.permit(ctx, fieldAvatarURL, address)
	}
	asset, why, err := s.clip(ctx, c, *body.AvatarMediaID)
	if err != nil {
		return none, nil, err
	}
	if why == "" {
		switch {
		case view.MediaType(asset) != catalog.MediaAvatarVideo:
			why = reasonNoAvatar
		case view.MediaStatus(asset) != view.MediaReady:
			why = reasonNotReady
		}
	}
	if why != "" {
		p := problem.Field(fieldAvatar, avatarWords[why])
		p.Details["reason"], p.Retryable = why, why == reasonNotReady
		return none, nil, p
	}
	var warnings []operation.Warning
	if address != "" {
		warnings = append(warnings, operation.Warning{Code: "avatar_url_ignored", Message: "avatar_media_id was given as well, and counts; avatar_url was ignored."})
	}
	return refTo(c, asset), warnings, nil
}

var avatarWords = map[string]string{
	reasonNone:     "There is no such media item.",
	reasonNoAvatar: "The media item is no avatar_video.",
	reasonNoClip:   "The media item is not a clip.",
	reasonNotReady: "The clip is still being looked at: send the same again in a moment.",
	reasonFailed:   "The media item cannot be used.",
	reasonShort:    "The clip is too short.",
}

// demos finds the clips that follow: first those given by id, then those given by their address. One that is still being looked at may
// be chosen: the video waits for it.
func (s *Service) demos(ctx context.Context, c *auth.Caller, body *CreateVideo) ([]v1alpha1.DemoClip, error) {
	var out []v1alpha1.DemoClip
	invalid, reason := []int64{}, ""
	for _, id := range body.ProductDemoMediaIDs {
		asset, why, err := s.clip(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if why == "" {
			out = append(out, v1alpha1.DemoClip{ClipSource: refTo(c, asset)})
			continue
		}
		if reason == "" {
			reason = why
		}
		if !slices.Contains(invalid, int64(id)) {
			invalid = append(invalid, int64(id))
		}
	}
	if len(invalid) > 0 {
		p := problem.Field(fieldDemos, "product_demo_media_ids names what is no clip that the brand can use.")
		p.Details["invalid_ids"], p.Details["reason"] = invalid, reason
		return nil, p
	}
	for i, address := range body.ProductDemoURLs {
		if err := s.permit(ctx, fmt.Sprintf("%s[%d]", fieldDemoURLs, i), address); err != nil {
			return nil, err
		}
		out = append(out, v1alpha1.DemoClip{ClipSource: v1alpha1.ClipSource{URL: &body.ProductDemoURLs[i]}})
	}
	return out, nil
}

// permit refuses an address that is never fetched from.
func (s *Service) permit(ctx context.Context, field, address string) error {
	if err := s.Media.Permit(ctx, address); err != nil {
		p := problem.Field(field, "The clip must be at an https address that anyone can reach.")
		p.Details["reason"] = fetch.ReasonForbidden
		return p
	}
	return nil
}

// clip finds a media item by its id and says why it can be no clip of a video; "" for one that can, or may turn out to.
func (s *Service) clip(ctx context.Context, c *auth.Caller, id operation.ID) (*v1alpha1.MediaAsset, string, error) {
	asset, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, reasonNone, nil
	}
	if err != nil {
		return nil, "", err
	}
	if view.MediaStatus(asset) == view.MediaProcessing {
		// The cache may be behind the cluster, where another replica has shown the item as ready.
		now := &v1alpha1.MediaAsset{}
		if err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(asset), now); client.IgnoreNotFound(err) != nil {
			return nil, "", fmt.Errorf("reading a media item: %w", err)
		} else if err == nil {
			asset = now
		}
	}
	probe := asset.Status.Probe
	switch {
	case !asset.DeletionTimestamp.IsZero():
		return nil, reasonNone, nil
	case asset.Status.Error != nil:
		return nil, reasonFailed, nil
	case probe != nil && probe.Kind != view.KindVideo, probe == nil && strings.HasPrefix(asset.Spec.ContentType, "image/"):
		return nil, reasonNoClip, nil
	case probe != nil && probe.DurationMilliseconds < catalog.MinFilmClip.Milliseconds():
		return nil, reasonShort, nil
	}
	return asset, "", nil
}

// refTo names a media item as a clip.
func refTo(c *auth.Caller, asset *v1alpha1.MediaAsset) v1alpha1.ClipSource {
	ref := &v1alpha1.LocalRef{Name: asset.Name}
	if asset.Namespace != c.Namespace() {
		return v1alpha1.ClipSource{LibraryRef: ref}
	}
	return v1alpha1.ClipSource{MediaRef: ref}
}

// videoVoice returns why the named voice cannot speak the hook; nil if it can, or if nothing is spoken. A hook that is yet to be written
// will be in the brand's language if the request names none.
func (s *Service) videoVoice(c *auth.Caller, spec *v1alpha1.VideoSpec) *problem.Problem {
	if spec.Voice.Mode == "none" {
		return nil
	}
	hook, language := "", spec.Language
	if spec.HookText != nil {
		hook = *spec.HookText
	} else if language == "" {
		language = c.Brand.Spec.Language
	}
	return voiceProblem(s.Voices, spec.Voice.Name, language, hook)
}

// notTakenOf refuses what the kind's own rules refuse although the description lets it pass, and names the field of the body.
func notTakenOf(err error, body *CreateVideo) error {
	refused := notTaken(err)
	var p *problem.Problem
	if !errors.As(refused, &p) {
		return refused
	}
	field, _ := p.Details["field"].(string)
	switch {
	case strings.HasPrefix(field, "avatar"):
		p.Details["field"] = fieldAvatarURL
	case strings.HasPrefix(field, "demos["):
		var i int
		if _, err := fmt.Sscanf(field, "demos[%d]", &i); err == nil {
			p.Details["field"] = fmt.Sprintf("%s[%d]", fieldDemoURLs, max(i-len(body.ProductDemoMediaIDs), 0))
		}
	}
	return p
}
