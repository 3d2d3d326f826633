// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/work/outcome"
)

// Track has the measured properties of a track.
type Track struct {
	Duration time.Duration
	// AudioCodec is a name of ffmpeg.
	AudioCodec string

	stream int
}

// silence is the level below which a track counts as silent, in LUFS: the gate that the measurement itself uses.
const silence = -70

// Track inspects a track of a content type. The error is a *Refusal, ErrKilled or the error of the context.
func (t Tools) Track(ctx context.Context, path, contentType string, l Limits) (*Track, error) {
	if err := whole(path, contentType); err != nil {
		return nil, err
	}
	streams, err := t.streams(ctx, path, contentType, l)
	if err != nil {
		return nil, err
	}
	a := first(streams, sound)
	if a == nil {
		return nil, refuse(outcome.NoSound, "The file has no sound.")
	}
	if first(streams, (*stream).moving) != nil {
		return nil, refuse(outcome.Unsupported, "The file is a video, not music.")
	}
	if err := checkCodec(a); err != nil {
		return nil, err
	}
	counts, err := t.packets(ctx, path, contentType, l)
	if err != nil {
		return nil, err
	}
	n := counts[a.Index]
	if n == nil {
		return nil, unreadable(nil, "The file has no readable audio stream.")
	}
	d := time.Duration(math.Min(n.duration(), 1e8) * float64(time.Second))
	switch {
	case d < time.Millisecond:
		return nil, unreadable(nil, "The track has no duration.")
	case d > l.Duration:
		return nil, refuse(outcome.TooLong, "The track is longer than %s.", words(l.Duration))
	}
	return &Track{Duration: d, AudioCodec: a.Codec, stream: a.Index}, nil
}

// Loudness returns the loudness of a track; nil for a silent track. It decodes the whole track, and refuses a track of
// which a large part cannot be decoded.
func (t Tools) Loudness(ctx context.Context, path, contentType string, k *Track, l Limits) (*outcome.Loudness, error) {
	args := t.decode(path, contentType, 0, l)
	for i := range args {
		if args[i] == "-loglevel" {
			args[i+1] = "info" // the filter logs its result at this level
		}
	}
	seconds := strconv.FormatFloat(l.Duration.Seconds(), 'f', 3, 64)
	args = append(args, "-nostats", "-map", "0:"+strconv.Itoa(k.stream), "-vn", "-af",
		"aresample=48000,aformat=sample_fmts=fltp:channel_layouts=stereo,atrim=end="+seconds+",loudnorm=print_format=json", "-f", "null", "-")
	said, err := t.run(ctx, nil, reads(path), t.FFmpeg, args...)
	if err != nil {
		return nil, err
	}
	from, to := strings.LastIndexByte(said, '{'), strings.LastIndexByte(said, '}')
	var m struct {
		I      string `json:"input_i"`
		Peak   string `json:"input_tp"`
		Range  string `json:"input_lra"`
		Thresh string `json:"input_thresh"`
	}
	if from < 0 || to < from || json.Unmarshal([]byte(said[from:to+1]), &m) != nil {
		return nil, unreadable(nil, "The track contains no audio that can be decoded.")
	}
	out := &outcome.Loudness{}
	for _, v := range []struct {
		dst *float64
		s   string
	}{{&out.IntegratedLUFS, m.I}, {&out.TruePeakDBTP, m.Peak}, {&out.RangeLU, m.Range}, {&out.ThresholdLUFS, m.Thresh}} {
		n, err := strconv.ParseFloat(v.s, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, nil //nolint:nilerr,nilnil // silence measures as "-inf"
		}
		*v.dst = n
	}
	if out.IntegratedLUFS < silence {
		return nil, nil //nolint:nilnil // silent
	}
	// A player never exceeds full scale.
	out.IntegratedLUFS, out.ThresholdLUFS = min(out.IntegratedLUFS, 0), min(out.ThresholdLUFS, 0)
	return out, nil
}
