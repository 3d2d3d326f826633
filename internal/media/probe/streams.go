// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

const (
	// maxDescription is the size limit of ffprobe's description of the streams.
	maxDescription = 1 << 20
	// probeBytes and analyseMicroseconds limit the part of a file that is searched for streams.
	probeBytes          = 20 << 20
	analyseMicroseconds = 15_000_000
	// coverPixels is the largest number of pixels of a cover. ffmpeg decodes covers for their format and ignores larger
	// ones.
	coverPixels = 1 << 20
)

// stream is ffprobe's description of a stream.
type stream struct {
	Index       int    `json:"index"`
	Type        string `json:"codec_type"`
	Codec       string `json:"codec_name"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Aspect      string `json:"sample_aspect_ratio"`
	Frames      string `json:"nb_frames"`
	SampleRate  string `json:"sample_rate"`
	Channels    int    `json:"channels"`
	Disposition struct {
		Picture int `json:"attached_pic"`
	} `json:"disposition"`
	SideData []struct {
		Rotation float64 `json:"rotation"`
	} `json:"side_data_list"`
}

// moving reports whether a stream is a video and not a cover.
func (s *stream) moving() bool { return s.Type == "video" && s.Disposition.Picture == 0 }

// guard returns the options before every input: the demuxer, the decoders and the limits.
func (t Tools) guard(contentType string, l Limits) []string {
	args := []string{
		"-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-format_whitelist", demuxers[contentType],
		"-codec_whitelist", decoders, "-max_streams", strconv.Itoa(l.Tracks + 1),
		"-probesize", strconv.Itoa(probeBytes), "-analyzeduration", strconv.Itoa(analyseMicroseconds), "-threads", strconv.Itoa(max(1, t.Threads)),
	}
	pixels := int64(coverPixels)
	if strings.HasPrefix(contentType, "video/") {
		pixels = cmp.Or(l.Pixels, catalog.MaxClipPixels)
		pixels += pixels / 4 // so that the size that the clip states can be compared with the limit
	}
	args = append(args, "-max_pixels", strconv.FormatInt(pixels, 10))
	if demuxers[contentType] == "mov" {
		args = append(args, "-enable_drefs", "0", "-use_absolute_path", "0")
	}
	return append(args, "-f", demuxers[contentType])
}

// streams returns the streams of a file.
func (t Tools) streams(ctx context.Context, path, contentType string, l Limits) ([]stream, error) {
	if demuxers[contentType] == "" {
		return nil, refuse(outcome.Unreadable, "The type of the file is not supported.")
	}
	out := &child.Bounded{Limit: maxDescription}
	args := append(t.guard(contentType, l), "-show_entries",
		"stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,nb_frames,sample_rate,channels"+
			":stream_disposition=attached_pic"+
			// The renderer reads these tags, so values that it rejects are refused here.
			":stream_tags=alpha_mode,ALPHA_MODE:stream_side_data=rotation", "-of", "json", "file:"+path)
	if _, err := t.run(ctx, out, reads(path), t.FFprobe, args...); errors.Is(err, child.ErrTooMuch) {
		return nil, refuse(outcome.TooComplex, "The file has too much metadata.")
	} else if err != nil {
		return nil, err
	}
	var doc struct {
		Streams []stream `json:"streams"`
	}
	if err := json.Unmarshal(out.Bytes, &doc); err != nil {
		return nil, fmt.Errorf("reading ffprobe's answer: %w", err)
	}
	if len(doc.Streams) > l.Tracks {
		return nil, refuse(outcome.TooManyTracks, "The file has more than %d tracks.", l.Tracks)
	}
	return doc.Streams, nil
}

// first returns the first stream of a kind.
func first(streams []stream, is func(*stream) bool) *stream {
	for i := range streams {
		if is(&streams[i]) {
			return &streams[i]
		}
	}
	return nil
}

func sound(s *stream) bool { return s.Type == "audio" }

func checkCodec(s *stream) error {
	if !codecs[s.Codec] {
		return refuse(outcome.Unsupported, "The file uses a codec that is not supported.")
	}
	return nil
}

// shown returns the dimensions of a stream in a player, with the pixel aspect ratio and the rotation applied.
func (s *stream) shown() (width, height int) {
	width, height = s.Width, s.Height
	if n, d, ok := strings.Cut(s.Aspect, ":"); ok {
		num, err1 := strconv.ParseFloat(n, 64)
		den, err2 := strconv.ParseFloat(d, 64)
		if ratio := num / den; err1 == nil && err2 == nil && ratio >= 0.1 && ratio <= 10 {
			width = max(1, int(math.Round(float64(width)*ratio)))
		}
	}
	for _, d := range s.SideData {
		if q := math.Mod(math.Abs(d.Rotation), 180); q > 45 && q < 135 {
			return height, width
		}
	}
	return width, height
}
