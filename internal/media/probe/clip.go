// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

// Clip has the measured properties of a clip.
type Clip struct {
	Duration time.Duration
	// Width and Height as shown: rotation applied, pixels square.
	Width, Height int
	// FrameRate is the mean number of frames in a second. Frames is the number of all frames.
	FrameRate float64
	Frames    int64
	// VideoCodec and AudioCodec are names of ffmpeg. AudioCodec is empty without sound.
	VideoCodec, AudioCodec string

	stream int
	start  float64 // seconds into the file at which the pictures begin
}

const (
	// lastPart is the number of seconds at the end of a clip that must be decodable.
	lastPart = 1.0
	// maxThumbnailHeight is the largest height of a thumbnail in pixels.
	maxThumbnailHeight = 2048
)

// Clip inspects a clip of a content type. The error is a *Refusal, ErrKilled or the error of the context.
func (t Tools) Clip(ctx context.Context, path, contentType string, l Limits) (*Clip, error) {
	if err := whole(path, contentType); err != nil {
		return nil, err
	}
	streams, err := t.streams(ctx, path, contentType, l)
	if err != nil {
		return nil, err
	}
	v := first(streams, (*stream).moving)
	if v == nil {
		return nil, refuse(outcome.NoPicture, "The file has no video stream.")
	}
	if err := checkPicture(v, l); err != nil {
		return nil, err
	}
	counts, err := t.packets(ctx, path, contentType, l)
	if err != nil {
		return nil, err
	}
	n := counts[v.Index]
	if n == nil {
		return nil, unreadable(nil, "The file has no readable video stream.")
	}
	c := &Clip{Frames: n.packets, VideoCodec: v.Codec, stream: v.Index, start: n.start}
	c.Width, c.Height = v.shown()
	if err := c.time(n, v, l); err != nil {
		return nil, err
	}
	if a := first(streams, sound); a != nil {
		if err := checkCodec(a); err != nil {
			return nil, err
		}
		c.AudioCodec = a.Codec
	}
	return c, t.decodable(ctx, path, contentType, c, n, l)
}

func checkPicture(v *stream, l Limits) error {
	switch {
	case v.Width < 1 || v.Height < 1:
		return unreadable(nil, "The frames of the clip have no size.")
	case v.Width > l.Side || v.Height > l.Side || int64(v.Width)*int64(v.Height) > l.Pixels:
		return refuse(outcome.TooManyPixels, "The clip has frames of more than %d million pixels, or a side longer than %d pixels.", l.Pixels/1_000_000, l.Side)
	}
	return checkCodec(v)
}

// time checks the duration and the number of frames of a clip.
func (c *Clip) time(n *count, v *stream, l Limits) error {
	seconds := n.duration()
	c.Duration = time.Duration(math.Min(seconds, 1e8) * float64(time.Second))
	if c.Duration > 0 {
		c.FrameRate = math.Round(1000*float64(n.packets)/seconds) / 1000
	}
	promised, err := strconv.ParseInt(v.Frames, 10, 64)
	switch {
	case c.Duration < time.Millisecond:
		return unreadable(nil, "The clip has no duration.")
	case c.Duration > l.Duration:
		return refuse(outcome.TooLong, "The clip is longer than %s.", words(l.Duration))
	case c.Frames > l.Frames || c.FrameRate > l.FrameRate:
		return refuse(outcome.TooManyFrames, "The clip has more than %g frames per second, or more than %d frames in total.", l.FrameRate, l.Frames)
	case c.FrameRate <= 0: // less than one in half an hour
		return unreadable(nil, "The clip has no moving frames.")
	case err == nil && promised > n.packets:
		return unreadable(nil, "The file is truncated or damaged: it contains fewer frames than it declares.")
	}
	return nil
}

// decodable decodes a few frames at the start, in the middle and at the end.
func (t Tools) decodable(ctx context.Context, path, contentType string, c *Clip, n *count, l Limits) error {
	from := []float64{0, c.Duration.Seconds() / 2, max(0, n.last-n.start-lastPart)}
	if n.last-n.start <= 2*lastPart {
		from = []float64{0} // the whole of it
	}
	for _, at := range from {
		frames := "10"
		if at == from[len(from)-1] {
			frames = strconv.Itoa(int(min(2*lastPart*c.FrameRate+10, 600)))
		}
		got := &child.Bounded{Limit: 64 << 10}
		args := append(t.decode(path, contentType, at+max(0, n.start), l), "-map", "0:"+strconv.Itoa(c.stream), "-frames:v", frames,
			"-vf", "scale=8:8", "-pix_fmt", "gray", "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1")
		if _, err := t.run(ctx, got, reads(path), t.FFmpeg, args...); err != nil {
			return err
		}
		if len(got.Bytes) == 0 {
			return unreadable(nil, "The file is truncated or damaged: some of its frames cannot be decoded.")
		}
	}
	return nil
}

// decode returns the arguments up to and including the input, from a time on.
func (t Tools) decode(path, contentType string, at float64, l Limits) []string {
	args := append([]string{"-nostdin", "-max_error_rate", "0.3"}, t.guard(contentType, l)...)
	if at > 0 {
		args = append(args, "-ss", strconv.FormatFloat(at, 'f', 3, 64))
	}
	return append(args, "-i", "file:"+path, "-sn", "-dn", "-filter_threads", strconv.Itoa(max(1, t.Threads)))
}

// Thumbnail writes a JPEG of a frame of the clip, with its rotation applied. It has the given width, or that of a
// narrower clip.
func (t Tools) Thumbnail(ctx context.Context, path, contentType string, c *Clip, width int, l Limits, out string) error {
	// The size follows from the clip as it is shown, not from how it is stored; colour is stored by twos.
	width = max(2, min(width, c.Width)&^1)
	height := min(max(2, int(math.Round(float64(width)*float64(c.Height)/float64(c.Width)))&^1), maxThumbnailHeight)
	at := min(c.Duration.Seconds()/3, 5)
	if c.Frames < 3 {
		at = 0
	}
	args := append(t.decode(path, contentType, at+max(0, c.start), l), "-map", "0:"+strconv.Itoa(c.stream), "-an", "-frames:v", "1",
		"-vf", "scale="+strconv.Itoa(width)+":"+strconv.Itoa(height)+",setsar=1", "-pix_fmt", "yuvj420p",
		"-c:v", "mjpeg", "-q:v", "3", "-map_metadata", "-1", "-f", "image2", "-update", "1", "-y", "file:"+out)
	if _, err := t.run(ctx, nil, child.Files{Read: []string{path}, Write: []string{out}}, t.FFmpeg, args...); err != nil {
		return err
	}
	doc, err := os.ReadFile(out)
	if errors.Is(err, os.ErrNotExist) {
		return unreadable(err, "The clip contains no frame that can be decoded.")
	}
	if err != nil {
		return err
	}
	if _, err := jpeg.DecodeConfig(bytes.NewReader(doc)); err != nil {
		return unreadable(err, "The clip contains no frame that can be decoded.")
	}
	return nil
}

// words returns a duration in words.
func words(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return strconv.Itoa(int(d/time.Minute)) + " minutes"
	}
	return d.String()
}
