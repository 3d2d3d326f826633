// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

var videoSpec = operation.Spec{
	Name: "create_video", Method: http.MethodPost, Path: "/api/v1/videos", Tag: "Generation",
	Summary: "Create a hook-and-demo video",
	Description: "The avatar speaks the hook, then clips show the product. " +
		"Only the avatar is required, by `avatar_media_id` or `avatar_url`. " +
		"The response has a job; `result.video_url` is set when it has succeeded. " +
		"If the avatar's clip has sound, the video keeps it; otherwise the hook is synthesized. " +
		"Captions are animated with the speech, and music is quieter meanwhile. " +
		"A video counts as one slideshow of the plan. " +
		"If a clip cannot be fetched or read, the job fails, and `details.field` of the error names the clip.",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Generation, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.QuotaExceeded, catalog.InsufficientCredits}, Polls: true,
	BodyExample: map[string]any{
		"hook_text": "I slept badly for ten years. Then I changed one thing.", "avatar_media_id": 41, "product_demo_media_ids": []int{42},
		"background_music_id": 7, "loop_count": 2, "text_settings": map[string]any{"position": map[string]any{"x": 50, "y": 30}, "align": "center"},
	},
	DataExample: exampleVideoJob,
}

func (s *Service) createVideo(ctx context.Context, c *operation.Call, in struct{ Body CreateVideo }) (*operation.Reply[view.Job], error) {
	body := &in.Body
	spec, warnings, err := s.videoSpec(ctx, c, body)
	if err != nil {
		return nil, err
	}
	v, found, err := accept(ctx, s, c, wanted[*v1beta1.Video]{
		object: &v1beta1.Video{Spec: *spec}, finalizer: v1beta1.FinalizerVideo, need: quota.Need{Slideshows: 1}, urls: spec.URLs(), named: read.VideoName,
		brand: func(v *v1beta1.Video) string { return v.Spec.BrandRef.Name },
	})
	if apierrors.IsInvalid(err) {
		return nil, notTakenOf(err, body)
	}
	if err != nil {
		return nil, err
	}
	return s.accepted(ctx, c, v, found, warnings)
}

// videoSpec returns the requested spec. Its error lists every fault of the body.
func (s *Service) videoSpec(ctx context.Context, c *operation.Call, body *CreateVideo) (*v1beta1.VideoSpec, []operation.Warning, error) {
	var faults refusals
	spec, err := body.spec(c.Brand.Name)
	if err := faults.add(err); err != nil {
		return nil, nil, err
	}
	var warnings []operation.Warning
	spec.Avatar, warnings, err = s.avatar(ctx, c, body)
	if err := faults.add(err); err != nil {
		return nil, nil, err
	}
	if spec.Demos, err = s.demos(ctx, c, body, &faults); err != nil {
		return nil, nil, err
	}
	if body.demos() == 0 {
		warnings = append(warnings, operation.Warning{Code: "no_product_demos", Message: "There are no product demos, so the video shows only the avatar."})
	}
	spec.Music, err = s.music(ctx, c, body.BackgroundMusicID)
	if err := faults.add(err); err != nil {
		return nil, nil, err
	}
	if p := s.videoVoice(c, spec); p != nil {
		faults = append(faults, p)
	}
	if p := problem.All(faults); p != nil {
		return nil, nil, p
	}
	return spec, warnings, nil
}

// refusals are the faults of a body.
type refusals []*problem.Problem

// add collects an error that is a fault of the body, with its further problems. It returns any other error.
func (r *refusals) add(err error) error {
	var p *problem.Problem
	if err == nil {
		return nil
	}
	if !errors.As(err, &p) || p.Code != catalog.ValidationFailed {
		return err
	}
	*r = append(append(*r, p), p.Also...)
	p.Also = nil
	return nil
}

// avatar returns the avatar's clip: a media item that is ready, or a URL that may be fetched.
func (s *Service) avatar(ctx context.Context, c *operation.Call, body *CreateVideo) (v1beta1.ClipSource, []operation.Warning, error) {
	var none v1beta1.ClipSource
	address := ""
	if body.AvatarURL != nil {
		address = *body.AvatarURL
	}
	if body.AvatarMediaID == nil {
		if address == "" {
			return none, nil, problem.Field(fieldAvatar, "avatar_media_id or avatar_url is required.")
		}
		return v1beta1.ClipSource{URL: &address}, nil, s.permit(ctx, "The clip", fieldAvatarURL, address)
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
		p := problem.Field(fieldAvatar, clipWords[why])
		p.Details["reason"], p.Retryable = why, why == reasonNotReady
		return none, nil, p
	}
	var warnings []operation.Warning
	if address != "" {
		warnings = append(warnings, operation.Warning{Code: "avatar_url_ignored", Message: "avatar_url was ignored, because avatar_media_id is set."})
	}
	return refTo(c, asset), warnings, nil
}

// videoVoice returns the reason why the named voice cannot speak the hook; nil if it can, or if nothing is spoken. A
// hook that is not written yet will be in the brand's language if the request names none.
func (s *Service) videoVoice(c *operation.Call, spec *v1beta1.VideoSpec) *problem.Problem {
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

// notTakenOf is like notTaken, but names the field of the body.
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
			p.Details["field"] = body.demoURL(i)
		}
	}
	return p
}
