// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
)

// facts are the properties of a file that determine how its images become frames of a video.
type facts struct {
	stream int
	codec  string
	// width and height as displayed: rotated, and with square pixels. They are taken from the metadata of the file.
	width, height int
	interlaced    bool
	transparent   bool
	small         bool // too small for filters that work on pairs of pixels
	colour        colour
	// seconds is the length of the file; 0 if the file does not declare one.
	seconds float64
}

// stream is one stream in the output of ffprobe.
type stream struct {
	Index       int    `json:"index"`
	Type        string `json:"codec_type"`
	Codec       string `json:"codec_name"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Aspect      string `json:"sample_aspect_ratio"`
	Pixels      string `json:"pix_fmt"`
	Range       string `json:"color_range"`
	Matrix      string `json:"color_space"`
	Transfer    string `json:"color_transfer"`
	Primaries   string `json:"color_primaries"`
	Fields      string `json:"field_order"`
	Disposition struct {
		Picture int `json:"attached_pic"`
	} `json:"disposition"`
	Tags     map[string]string `json:"tags"`
	SideData []struct {
		Rotation    float64 `json:"rotation"`
		DolbyVision int     `json:"dv_profile"`
	} `json:"side_data_list"`
}

const streamEntries = "stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,color_range,color_space," +
	"color_transfer,color_primaries,field_order:stream_disposition=attached_pic:stream_tags=alpha_mode,ALPHA_MODE" +
	":stream_side_data=rotation,dv_profile"

const damagedClip = "The clip is damaged, or its type is wrong."

// inspect returns the properties of a file.
func (p *projector) inspect(f timeline.Footage) (*facts, error) {
	args, err := p.guarded(f)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(p.paths[f.Input])
	if err != nil {
		return nil, err
	}
	c := command(p.ctx, p.o.FFprobe, append(args, "-show_entries", streamEntries+":format=duration", "-of", "json", "file:"+path)...).may([]string{path}).boundedFor(f.ContentType)
	out, err := c.confined()
	if err != nil {
		return nil, blame(f.Input, err, damagedClip)
	}
	var doc struct {
		Streams []stream `json:"streams"`
		Format  struct {
			Seconds string `json:"duration"`
		} `json:"format"`
	}
	if json.Unmarshal(out, &doc) != nil || len(doc.Streams) == 0 {
		return nil, badInput(f.Input, errors.New(c.stderr()), damagedClip)
	}
	for i := range doc.Streams {
		s := &doc.Streams[i]
		if s.Type != "video" || s.Disposition.Picture != 0 {
			continue
		}
		known, sentence := s.facts()
		if sentence != "" {
			return nil, badInput(f.Input, nil, "%s", sentence)
		}
		if long, err := strconv.ParseFloat(doc.Format.Seconds, 64); err == nil && long > 0 && long <= catalog.MaxClipDuration.Seconds() {
			known.seconds = long
		}
		return known, nil
	}
	return nil, badInput(f.Input, nil, "The clip has no video stream.")
}

// facts returns the properties of a stream, or a message if the stream cannot be shown.
func (s *stream) facts() (*facts, string) {
	if s.Width < 1 || s.Height < 1 {
		return nil, "The frames of the clip have no size."
	}
	f := &facts{stream: s.Index, codec: s.Codec, small: s.Width < smallSide || s.Height < smallSide, colour: s.colours()}
	switch s.Fields {
	case "tt", "bb", "tb", "bt":
		f.interlaced = true
	}
	f.transparent = s.Tags["alpha_mode"] == "1" || s.Tags["ALPHA_MODE"] == "1" || strings.HasPrefix(s.Pixels, "yuva") || strings.HasPrefix(s.Pixels, "gbrap")
	f.width, f.height = s.shown()
	for _, d := range s.SideData {
		if d.DolbyVision == 5 { // its colours are meaningless to decoders without Dolby Vision
			return nil, "The clip is Dolby Vision without a compatible base layer."
		}
	}
	return f, ""
}

// smallSide is the side length below which chroma is first converted to full resolution.
const smallSide = 16

// shown returns the dimensions as displayed by a player.
func (s *stream) shown() (width, height int) {
	width, height = s.Width, s.Height
	if n, d, ok := strings.Cut(s.Aspect, ":"); ok {
		num, err1 := strconv.ParseFloat(n, 64)
		den, err2 := strconv.ParseFloat(d, 64)
		if ratio := num / den; err1 == nil && err2 == nil && ratio >= minPixelAspect && ratio <= maxPixelAspect {
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

// transparentDecoder returns the decoder that supports transparency if the default one does not; empty for the default.
func (f *facts) transparentDecoder() string {
	switch {
	case f.transparent && f.codec == "vp9":
		return "libvpx-vp9"
	case f.transparent && f.codec == "vp8":
		return "libvpx"
	}
	return ""
}

// cropped returns the share of a side of the image that covering an area crops.
func (f *facts) cropped(area timeline.Canvas) float64 {
	part := cover(f.width, f.height, area.Width, area.Height, 0.5, 0.5)
	return 1 - min(part.w/float64(f.width), part.h/float64(f.height))
}
