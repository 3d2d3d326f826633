// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"context"
	"errors"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/starter/starterset"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// starterFile is the name of a clip that a Job creates.
const starterFile = "file.mp4"

// order returns a function that returns the order of a Job: to inspect a clip, or to create one of the starter set.
func (r *Reconciler) order(m *v1beta1.MediaAsset) func(context.Context, string) (*order.Order, error) {
	return func(ctx context.Context, key string) (*order.Order, error) {
		o := &order.Order{Kind: order.ProbeVideo, Limits: order.Limits{
			DurationMilliseconds: catalog.MaxClipDuration.Milliseconds(), Tracks: catalog.MaxMediaTracks,
			Pixels: catalog.MaxClipPixels, Side: catalog.MaxClipSide,
			Frames: catalog.MaxClipFrames, FrameRate: catalog.MaxClipFrameRate, ThumbnailWidth: catalog.ThumbnailWidth,
		}}
		var err error
		if o.Thumbnail, err = r.Intake.Target(ctx, runner.MediaPrefix(m)+thumbnailFile, thumbnailType); err != nil {
			return nil, err
		}
		if m.Spec.Source.Starter != nil {
			if err := starterset.Check(starterset.Clip, *m.Spec.Source.Starter); err != nil {
				return nil, intake.Refuse(catalog.ValidationFailed, "", "The starter item cannot be used: %v", err)
			}
			o.Kind, o.Starter = order.StarterClip, *m.Spec.Source.Starter
			o.File, err = r.Intake.Target(ctx, key, sniff.MP4)
			return o, err
		}
		o.Input, err = r.Intake.Input(ctx, key, catalog.MaxVideoBytes, sniff.ContentType)
		return o, err
	}
}

// take returns a function that validates and records the result of a Job. A malicious file may have taken over the Job,
// so an impossible result is refused.
func (r *Reconciler) take(m *v1beta1.MediaAsset) func(context.Context, string, *outcome.Media) error {
	return func(ctx context.Context, key string, res *outcome.Media) error {
		if res.Width > catalog.MaxClipSide || res.Height > catalog.MaxClipSide*10 || res.FrameRate > catalog.MaxClipFrameRate ||
			res.DurationMilliseconds > catalog.MaxClipDuration.Milliseconds() || res.Width < 1 || !res.Thumbnail {
			return intake.Refuse(catalog.InternalError, "", "The worker returned an invalid result for the file")
		}
		thumbnail := runner.MediaPrefix(m) + thumbnailFile
		for _, k := range []string{key, thumbnail} {
			o, err := r.Intake.Store.Stat(ctx, k)
			if errors.Is(err, blob.ErrNotFound) {
				return lost()
			} else if err != nil {
				return err
			}
			if k == key && o.Bytes != res.Bytes {
				return lost()
			}
		}
		m.Status.Probe = &v1beta1.MediaProbe{
			Kind: kindVideo, ContentType: res.ContentType, Bytes: res.Bytes, Width: int32(res.Width), Height: int32(res.Height),
			DurationMilliseconds: res.DurationMilliseconds, FrameRate: res.FrameRate, VideoCodec: res.VideoCodec, AudioCodec: res.AudioCodec,
		}
		m.Status.ThumbnailKey = thumbnail
		return nil
	}
}

func lost() *intake.Refusal {
	r := intake.Refuse(catalog.GenerationFailed, "", "The result of the worker is not in the store")
	r.Retryable = true
	return r
}
