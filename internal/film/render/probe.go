// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/reelops/reelops/internal/film/timeline"
)

// Probe describes a finished file.
type Probe struct {
	VideoCodec      string  `json:"video_codec"`
	Profile         string  `json:"profile"`
	PixelFormat     string  `json:"pixel_format"`
	Width           int     `json:"width"`
	Height          int     `json:"height"`
	FrameRate       string  `json:"frame_rate"`
	Frames          int     `json:"frames"`
	DurationSeconds float64 `json:"duration_seconds"`
	AudioCodec      string  `json:"audio_codec"`
	SampleRate      int     `json:"sample_rate"`
	Channels        int     `json:"channels"`
	FastStart       bool    `json:"fast_start"`
}

// probe inspects an MP4 with ffprobe, packet by packet, and checks the order of its boxes.
func probe(ctx context.Context, ffprobe, path string) (Probe, error) {
	out, err := command(ctx, ffprobe, "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-f", "mov",
		"-count_packets", "-show_entries",
		"stream=codec_type,codec_name,profile,pix_fmt,width,height,r_frame_rate,avg_frame_rate,nb_read_packets,duration,sample_rate,channels",
		"-of", "json", "file:"+path).may([]string{path}).output()
	if err != nil {
		return Probe{}, err
	}
	var doc struct {
		Streams []struct {
			Type     string `json:"codec_type"`
			Codec    string `json:"codec_name"`
			Profile  string `json:"profile"`
			Pixels   string `json:"pix_fmt"`
			Width    int    `json:"width"`
			Height   int    `json:"height"`
			RealRate string `json:"r_frame_rate"`
			MeanRate string `json:"avg_frame_rate"`
			Packets  string `json:"nb_read_packets"`
			Duration string `json:"duration"`
			Rate     string `json:"sample_rate"`
			Channels int    `json:"channels"`
		} `json:"streams"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return Probe{}, fmt.Errorf("reading ffprobe's answer: %w", err)
	}
	var p Probe
	for _, s := range doc.Streams {
		switch s.Type {
		case "video":
			p.VideoCodec, p.Profile, p.PixelFormat, p.Width, p.Height = s.Codec, s.Profile, s.Pixels, s.Width, s.Height
			p.FrameRate = s.MeanRate
			if s.RealRate != s.MeanRate {
				p.FrameRate = s.RealRate + " (mean " + s.MeanRate + ")"
			}
			p.Frames, _ = strconv.Atoi(s.Packets)
			p.DurationSeconds, _ = strconv.ParseFloat(s.Duration, 64)
		case "audio":
			p.AudioCodec, p.Channels = s.Codec, s.Channels
			p.SampleRate, _ = strconv.Atoi(s.Rate)
		}
	}
	p.FastStart, err = fastStart(path)
	return p, err
}

// check compares a finished file with its timeline.
func (p Probe) check(t *timeline.Timeline) error {
	want := Probe{
		VideoCodec: "h264", Profile: "High", PixelFormat: "yuv420p", Width: t.Canvas.Width, Height: t.Canvas.Height,
		FrameRate: strconv.Itoa(t.FPS) + "/1", Frames: t.Frames(), AudioCodec: "aac", SampleRate: sampleRate, Channels: 2,
		FastStart: true, DurationSeconds: p.DurationSeconds,
	}
	seconds := float64(t.Frames()) / float64(t.FPS)
	if p == want && math.Abs(p.DurationSeconds-seconds) < 0.5/float64(t.FPS) {
		return nil
	}
	return &Error{
		Kind: BadOutput, Message: "The finished video differs from the order.",
		Err: fmt.Errorf("got %+v, want %+v of %.3f s", p, want, seconds),
	}
}

// fastStart reports whether the index of an MP4 precedes its media.
func fastStart(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var at int64
	for {
		var head [16]byte
		n, err := f.ReadAt(head[:], at)
		if n < 8 {
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			return false, err
		}
		size := int64(binary.BigEndian.Uint32(head[:]))
		switch string(head[4:8]) {
		case "moov":
			return true, nil
		case "mdat":
			return false, nil
		}
		if size == 1 && n == 16 {
			size = int64(binary.BigEndian.Uint64(head[8:]))
		}
		if size < 8 {
			return false, nil
		}
		at += size
	}
}
