// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"

	"github.com/reelops/reelops/hack/service"
)

// probe holds the used fields of ffprobe's output.
type probe struct {
	Streams []struct {
		Type       string `json:"codec_type"`
		Codec      string `json:"codec_name"`
		Profile    string `json:"profile"`
		Pixels     string `json:"pix_fmt"`
		Width      int    `json:"width"`
		Height     int    `json:"height"`
		Rate       string `json:"r_frame_rate"`
		Average    string `json:"avg_frame_rate"`
		Frames     string `json:"nb_read_packets"`
		SampleRate string `json:"sample_rate"`
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

// check returns a one-line description of the film, or an error if it differs from the promised properties.
func check(ctx context.Context, film string, s service.Short) (string, error) {
	out, err := exec.CommandContext(ctx, "ffprobe", "-v", "error", "-count_packets", "-show_streams", "-show_format", "-of", "json", film).Output()
	if err != nil {
		return "", fmt.Errorf("ffprobe: %w", err)
	}
	var p probe
	if err := json.Unmarshal(out, &p); err != nil {
		return "", err
	}
	if len(p.Streams) != 2 || p.Streams[0].Type != "video" || p.Streams[1].Type != "audio" {
		return "", fmt.Errorf("video file has %d streams, want one video and one audio stream", len(p.Streams))
	}
	v, a := p.Streams[0], p.Streams[1]
	width, height := 1080, map[string]int{"9:16": 1920, "4:5": 1350}[s.AspectRatio]
	frames := int(math.Round(s.Duration * 30))
	duration, _ := strconv.ParseFloat(p.Format.Duration, 64)
	var errs []error
	want := func(what string, got, wanted any) {
		if got != wanted {
			errs = append(errs, fmt.Errorf("%s is %v, want %v", what, got, wanted))
		}
	}
	want("video codec", v.Codec+" "+v.Profile+" "+v.Pixels, "h264 High yuv420p")
	want("frame size", fmt.Sprintf("%dx%d", v.Width, v.Height), fmt.Sprintf("%dx%d", width, height))
	want("frame rate", v.Rate+" "+v.Average, "30/1 30/1")
	want("number of frames", v.Frames, strconv.Itoa(frames))
	want("audio", a.Codec+" "+a.SampleRate, "aac 48000")
	if s.Duration <= 0 || math.Abs(duration-s.Duration) > 0.1 {
		errs = append(errs, fmt.Errorf("duration is %.2f s, want %.2f s", duration, s.Duration))
	}
	if first, err := indexFirst(film); err != nil || !first {
		errs = append(errs, errors.Join(err, errors.New("the index is not at the front, so playback cannot start before the whole file is loaded")))
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	return fmt.Sprintf("as expected: h264 High yuv420p %dx%d, 30 fps constant, %d frames, %.2f s, AAC 48 kHz, index first", v.Width, v.Height, frames, duration), nil
}

// indexFirst reports whether the moov box precedes the media data.
func indexFirst(film string) (bool, error) {
	head := make([]byte, 1<<20)
	f, err := os.Open(film)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	n, _ := f.Read(head)
	moov, mdat := bytes.Index(head[:n], []byte("moov")), bytes.Index(head[:n], []byte("mdat"))
	return moov >= 0 && (mdat < 0 || moov < mdat), nil
}
