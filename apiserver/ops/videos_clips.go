// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/fetch"
)

// Fields of the body that name clips.
const (
	fieldAvatar    = "avatar_media_id"
	fieldAvatarURL = "avatar_url"
	fieldDemos     = "product_demo_media_ids"
	fieldDemoURLs  = "product_demo_urls"
	fieldClips     = "clips"
)

// Reasons why a media item cannot be a clip of a video, as in details.reason.
const (
	reasonNone     = "unknown"
	reasonNoAvatar = "not_an_avatar"
	reasonNoClip   = "not_a_clip"
	reasonNotReady = "not_ready_yet"
	reasonFailed   = "unusable"
	reasonShort    = "too_short"
)

// clipWords are the messages for the reasons.
var clipWords = map[string]string{
	reasonNone:     "There is no such media item.",
	reasonNoAvatar: "The media item does not have the type avatar_video.",
	reasonNoClip:   "The media item is not a clip.",
	reasonNotReady: "The clip is still being checked: send the same request again in a moment.",
	reasonFailed:   "The media item cannot be used.",
	reasonShort:    "The clip is too short.",
}

// demos returns the clips that follow the avatar: those given by id, those given by URL, then those of clips. It adds
// faults of the body to faults. A media item that is still being probed may be chosen: the video waits for it.
func (s *Service) demos(ctx context.Context, c *operation.Call, body *CreateVideo, faults *refusals) ([]v1beta1.DemoClip, error) {
	if body.demos() > catalog.MaxDemos {
		*faults = append(*faults, problem.Field(fieldClips, fmt.Sprintf("%s, %s and %s may have at most %d items together.", fieldDemos, fieldDemoURLs, fieldClips, catalog.MaxDemos)))
	}
	out, err := s.demosByID(ctx, c, body, faults)
	if err != nil {
		return nil, err
	}
	for i, address := range body.ProductDemoURLs {
		if err := faults.add(s.permit(ctx, "The clip", fmt.Sprintf("%s[%d]", fieldDemoURLs, i), address)); err != nil {
			return nil, err
		}
		out = append(out, v1beta1.DemoClip{ClipSource: v1beta1.ClipSource{URL: &body.ProductDemoURLs[i]}})
	}
	for i := range body.Clips {
		demo, err := s.demoClip(ctx, c, &body.Clips[i], clipField(i), faults)
		if err != nil {
			return nil, err
		}
		out = append(out, demo)
	}
	return out, nil
}

// demosByID returns the clips of product_demo_media_ids. All unusable ids are reported as one fault.
func (s *Service) demosByID(ctx context.Context, c *operation.Call, body *CreateVideo, faults *refusals) ([]v1beta1.DemoClip, error) {
	var out []v1beta1.DemoClip
	invalid, reason := []int64{}, ""
	for _, id := range body.ProductDemoMediaIDs {
		asset, why, err := s.clip(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if why == "" {
			out = append(out, v1beta1.DemoClip{ClipSource: refTo(c, asset)})
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
		p := problem.Field(fieldDemos, "product_demo_media_ids contains a media item that is not a usable clip of the brand.")
		p.Details["invalid_ids"], p.Details["reason"] = invalid, reason
		*faults = append(*faults, p)
	}
	return out, nil
}

// demoClip returns the clip for a member of clips. field is the member's name in errors. It adds faults of the body to
// faults.
func (s *Service) demoClip(ctx context.Context, c *operation.Call, in *ClipRequest, field string, faults *refusals) (v1beta1.DemoClip, error) {
	out := in.demo()
	switch {
	case (in.MediaID == nil) == (in.URL == nil):
		*faults = append(*faults, problem.Field(field, "Set exactly one of media_id and url."))
	case in.URL != nil:
		out.URL = in.URL
		if err := faults.add(s.permit(ctx, "The clip", field+".url", *in.URL)); err != nil {
			return out, err
		}
	default:
		asset, why, err := s.clip(ctx, c, *in.MediaID)
		if err != nil {
			return out, err
		}
		if why != "" {
			p := problem.Field(field+".media_id", clipWords[why])
			p.Details["reason"] = why
			*faults = append(*faults, p)
			break
		}
		out.ClipSource = refTo(c, asset)
		if probe := asset.Status.Probe; probe != nil && out.StartMilliseconds > 0 && out.StartMilliseconds > probe.DurationMilliseconds-catalog.MinFilmClip.Milliseconds() {
			p := problem.Field(field+".start", fmt.Sprintf("The clip lasts %g seconds: start must be at least %g seconds before its end.",
				seconds(probe.DurationMilliseconds), catalog.MinFilmClip.Seconds()))
			p.Details["reason"], p.Details["duration_seconds"] = reasonShort, seconds(probe.DurationMilliseconds)
			*faults = append(*faults, p)
		}
	}
	if out.EndMilliseconds != nil && *out.EndMilliseconds-out.StartMilliseconds < catalog.MinFilmClip.Milliseconds() {
		*faults = append(*faults, problem.Field(field+".end", fmt.Sprintf("end must be at least %g seconds after start.", catalog.MinFilmClip.Seconds())))
	}
	return out, nil
}

// permit refuses a URL that must not be fetched. what is the subject of the message.
func (s *Service) permit(ctx context.Context, what, field, address string) error {
	if err := s.Media.Permit(ctx, address); err != nil {
		p := problem.Field(field, what+" must have a public https URL.")
		p.Details["reason"] = fetch.ReasonForbidden
		return p
	}
	return nil
}

// clip returns a media item by id, and the reason why it cannot be a clip of a video. The reason is "" for an item that
// is usable or may become so.
func (s *Service) clip(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.MediaAsset, string, error) {
	asset, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, reasonNone, nil
	}
	if err != nil {
		return nil, "", err
	}
	if view.MediaStatus(asset) == view.MediaProcessing {
		// The cache may lag behind: another replica may already have shown the item as ready.
		now := &v1beta1.MediaAsset{}
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

// refTo returns the clip source that refers to a media item.
func refTo(c *operation.Call, asset *v1beta1.MediaAsset) v1beta1.ClipSource {
	ref := &v1beta1.LocalRef{Name: asset.Name}
	if asset.Namespace != c.Namespace() {
		return v1beta1.ClipSource{LibraryRef: ref}
	}
	return v1beta1.ClipSource{MediaRef: ref}
}
