// SPDX-License-Identifier: Apache-2.0

package musictrack

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/starter/music"
	"github.com/reelops/reelops/internal/starter/starterset"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// judge returns the type of a file from its first bytes.
func judge(head []byte) (intake.Kept, *intake.Refusal) {
	kept := intake.Kept{ContentType: sniff.Audio(head), Kind: "audio", Limit: catalog.MaxTrackBytes}
	if kept.ContentType == "" {
		return kept, intake.Refuse(catalog.UnsupportedMediaType, intake.ReasonUnreadable, "The file is not music in a supported format: MP3, AAC, M4A, WAV, FLAC or Ogg")
	}
	return kept, nil
}

// order returns a function that returns the order of a Job: to inspect a track, or to create one of the starter set.
func (r *Reconciler) order(m *v1beta1.MusicTrack) func(context.Context, string) (*order.Order, error) {
	return func(ctx context.Context, key string) (*order.Order, error) {
		o := &order.Order{Kind: order.ProbeAudio, Limits: order.Limits{
			DurationMilliseconds: catalog.MaxTrackDuration.Milliseconds(), Tracks: catalog.MaxMediaTracks,
		}}
		var err error
		if m.Spec.Source.Starter != nil {
			if err := starterset.Check(starterset.Track, *m.Spec.Source.Starter); err != nil {
				return nil, intake.Refuse(catalog.ValidationFailed, "", "The starter item cannot be used: %v", err)
			}
			o.Kind, o.Starter = order.StarterTrack, *m.Spec.Source.Starter
			o.File, err = r.Intake.Target(ctx, key, music.ContentType)
			return o, err
		}
		o.Input, err = r.Intake.Input(ctx, key, catalog.MaxTrackBytes, sniff.Audio)
		return o, err
	}
}

// take returns a function that validates and records the result of a Job. An impossible result is refused.
func (r *Reconciler) take(m *v1beta1.MusicTrack) func(context.Context, string, *outcome.Media) error {
	return func(ctx context.Context, key string, res *outcome.Media) error {
		if res.DurationMilliseconds > catalog.MaxTrackDuration.Milliseconds() || res.Width > 0 || res.AudioCodec == "" {
			return intake.Refuse(catalog.InternalError, "", "The worker returned an invalid result for the file")
		}
		o, err := r.Intake.Store.Stat(ctx, key)
		if errors.Is(err, blob.ErrNotFound) || err == nil && o.Bytes != res.Bytes {
			lost := intake.Refuse(catalog.GenerationFailed, "", "The track in the store is not the one that was analyzed")
			lost.Retryable = true
			return lost
		} else if err != nil {
			return err
		}
		p := &v1beta1.TrackProbe{ContentType: res.ContentType, Bytes: res.Bytes, DurationMilliseconds: res.DurationMilliseconds, AudioCodec: res.AudioCodec}
		if l := res.Loudness; l != nil {
			p.Loudness = &v1beta1.Loudness{IntegratedLUFS: l.IntegratedLUFS, TruePeakDBTP: l.TruePeakDBTP, RangeLU: l.RangeLU, ThresholdLUFS: l.ThresholdLUFS}
		}
		m.Status.Probe = p
		return nil
	}
}

// report sets the conditions. No other function sets them.
func report(m *v1beta1.MusicTrack, f *intake.File) {
	what := ""
	if p := m.Status.Probe; p != nil {
		level := "silent"
		if p.Loudness != nil {
			level = fmt.Sprintf("%.1f LUFS", p.Loudness.IntegratedLUFS)
		}
		what = fmt.Sprintf("%s, %s, %s, %d bytes", p.ContentType, time.Duration(p.DurationMilliseconds)*time.Millisecond, level, p.Bytes)
	}
	intake.Report(f, what, "MusicTrack")
}
