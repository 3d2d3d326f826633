// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"image/jpeg"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// desk is a house with an order of media work.
type desk struct {
	*house
	media order.Order
	// prefix precedes the command.
	prefix []string
}

func newDesk(t *testing.T, kind order.Kind, contentType string, content []byte) *desk {
	d := &desk{house: newHouse(t)}
	d.files["/in/file"] = content
	d.media = order.Order{
		Version: order.Version, ID: "tea-m1", Kind: kind, Outcome: order.Target{URL: d.url("/outcome")},
		Input: &order.Input{URL: d.url("/in/file"), ContentType: contentType, MaxBytes: 8 << 20},
		Limits: order.Limits{
			Deadline: time.Now().Add(5 * time.Minute), MemoryBytes: 1 << 30, Threads: 2, DurationMilliseconds: 60_000, Tracks: 8,
			Pixels: 1 << 24, Side: 8192, Frames: 10_000, FrameRate: 240, ThumbnailWidth: 160,
		},
	}
	if kind.Clip() {
		d.media.Thumbnail = &order.Target{URL: d.url("/out/thumbnail.jpg"), Headers: map[string]string{"x-seal": "1"}}
	}
	return d
}

// look runs the renderer and returns its outcome.
func (d *desk) look() (code int, out *outcome.Outcome) {
	d.t.Helper()
	doc, err := json.Marshal(d.media)
	if err != nil {
		d.t.Fatal(err)
	}
	d.document = doc
	code = d.run(d.command(d.prefix...))
	last, err := os.ReadFile(d.last)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err = outcome.Parse(last)
	if err != nil {
		d.t.Fatalf("termination message %s: %v", last, err)
	}
	if len(d.progress) != 0 {
		d.t.Error("media work sent progress")
	}
	if out.Order != "" && (len(d.outcomes) != 1 || !cmp.Equal(d.outcomes[0], out)) {
		d.t.Errorf("got stored outcomes %+v, want one like the termination message", d.outcomes)
	}
	return code, out
}

func (d *desk) refuses(code outcome.Code, reason outcome.Reason, retryable bool) {
	d.t.Helper()
	exit, out := d.look()
	e := out.Error
	if exit != exitFailed || e == nil || e.Code != code || e.Reason != reason || e.Retryable != retryable {
		d.t.Errorf("got exit code %d, %+v, want %s, %s", exit, e, code, reason)
	}
	if e != nil && (strings.Contains(e.Message, d.server.URL) || strings.Contains(e.Message, d.scratch)) {
		d.t.Errorf("the message contains internal details: %s", e.Message)
	}
	if _, stored := d.stored["/out/file"]; stored {
		d.t.Error("failed work stored its file")
	}
}

func encodeFile(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args = append(append([]string{"-hide_banner", "-loglevel", "error", "-nostdin"}, args...), path)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func clip(t *testing.T) []byte {
	return encodeFile(t, "a.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=30:d=2", "-f", "lavfi", "-i", "sine=d=2",
		"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac")
}

func TestMedia_InspectsAClip(t *testing.T) {
	content := clip(t)
	d := newDesk(t, order.ProbeVideo, "video/mp4", content)
	d.onPut = func(n int, w http.ResponseWriter) bool { // the store fails once
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n == 1
	}
	code, out := d.look()
	if code != exitOK || out.Media == nil {
		t.Fatalf("got exit code %d, %+v", code, out.Error)
	}
	r := *out.Media
	want := outcome.Media{
		ContentType: "video/mp4", Bytes: int64(len(content)), DurationMilliseconds: r.DurationMilliseconds, Width: 320, Height: 240, FrameRate: 30,
		VideoCodec: "h264", AudioCodec: "aac", Thumbnail: true,
	}
	if !cmp.Equal(r, want) || r.DurationMilliseconds < 1950 || r.DurationMilliseconds > 2050 {
		t.Errorf("got %+v, want %+v", r, want)
	}
	if img, err := jpeg.Decode(bytes.NewReader(d.stored["/out/thumbnail.jpg"])); err != nil || img.Bounds().Dx() != 160 || img.Bounds().Dy() != 120 {
		t.Errorf("thumbnail: %v", err)
	}
	if h := d.headers["/out/thumbnail.jpg"]; h.Get("x-seal") != "1" || h.Get("Content-Type") != "image/jpeg" {
		t.Errorf("upload headers %v", h)
	}
}

func TestMedia_InspectsATrack(t *testing.T) {
	content := encodeFile(t, "a.flac", "-f", "lavfi", "-i", "sine=f=1000:d=3:r=48000")
	code, out := newDesk(t, order.ProbeAudio, "audio/flac", content).look()
	if code != exitOK || out.Media == nil {
		t.Fatalf("got exit code %d, %+v", code, out.Error)
	}
	r := out.Media
	if r.ContentType != "audio/flac" || r.AudioCodec != "flac" || r.DurationMilliseconds != 3000 || r.Width != 0 ||
		r.Loudness == nil || math.Abs(r.Loudness.IntegratedLUFS+21.05) > 1 {
		t.Errorf("%+v, %+v", r, r.Loudness)
	}
}

func TestMedia_CreatesATrack(t *testing.T) {
	d := newDesk(t, order.StarterTrack, "", nil)
	d.media.Input, d.media.Starter = nil, "morning-light"
	d.media.File = &order.Target{URL: d.url("/out/file")}
	code, out := d.look()
	if code != exitOK || out.Media == nil {
		t.Fatalf("got exit code %d, %+v", code, out.Error)
	}
	if r := out.Media; r.ContentType != "audio/flac" || r.Bytes != int64(len(d.stored["/out/file"])) || r.Loudness == nil {
		t.Errorf("%+v", r)
	}
	if h := d.headers["/out/file"]; h.Get("Content-Type") != "audio/flac" {
		t.Errorf("upload headers %v", h)
	}
}

func TestMedia_RefusesInvalidFiles(t *testing.T) {
	whole := clip(t)
	for name, c := range map[string]struct {
		kind      order.Kind
		declared  string
		content   []byte
		spoil     func(*desk)
		code      outcome.Code
		reason    outcome.Reason
		retryable bool
	}{
		"a truncated clip":            {order.ProbeVideo, "video/mp4", whole[:len(whole)*9/10], nil, outcome.ValidationFailed, outcome.Unreadable, false},
		"a clip that is too long":     {order.ProbeVideo, "video/mp4", whole, func(d *desk) { d.media.Limits.DurationMilliseconds = 1000 }, outcome.ValidationFailed, outcome.TooLong, false},
		"a playlist":                  {order.ProbeVideo, "video/mp4", []byte("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/x.ts\n"), nil, outcome.ValidationFailed, outcome.Unreadable, false},
		"another type than expected":  {order.ProbeVideo, "video/webm", whole, nil, outcome.ValidationFailed, outcome.Unreadable, false},
		"a clip as a track":           {order.ProbeAudio, "audio/mp4", whole, nil, outcome.ValidationFailed, outcome.Unsupported, false},
		"more bytes than declared":    {order.ProbeVideo, "video/mp4", whole, func(d *desk) { d.media.Input.MaxBytes = 1000 }, outcome.MediaTooLarge, "", false},
		"a missing file":              {order.ProbeVideo, "video/mp4", whole, func(d *desk) { delete(d.files, "/in/file") }, outcome.GenerationFailed, outcome.InputUnavailable, true},
		"after the deadline":          {order.ProbeVideo, "video/mp4", whole, func(d *desk) { d.media.Limits.Deadline = time.Now().Add(-time.Second) }, outcome.GenerationFailed, outcome.Expired, true},
		"an order of an unknown kind": {order.ProbeVideo, "video/mp4", whole, func(d *desk) { d.media.Kind = "probe-text" }, outcome.InternalError, "", false},
		"a store that rejects the upload": {order.ProbeVideo, "video/mp4", whole, func(d *desk) {
			d.onPut = func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusForbidden); return true }
		}, outcome.GenerationFailed, outcome.UploadRefused, true},
		"an unknown starter item": {order.StarterTrack, "", nil, func(d *desk) {
			d.media.Input, d.media.Starter, d.media.File = nil, "nothing", &order.Target{URL: d.url("/out/file")}
		}, outcome.GenerationFailed, outcome.Killed, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, c.kind, c.declared, c.content)
			if c.spoil != nil {
				c.spoil(d)
			}
			d.refuses(c.code, c.reason, c.retryable)
		})
	}
}

func TestMedia_StopsOnSignal(t *testing.T) {
	d := newDesk(t, order.ProbeVideo, "video/mp4", clip(t))
	doc, err := json.Marshal(d.media)
	if err != nil {
		t.Fatal(err)
	}
	d.document = doc
	cmd := d.command()
	// it has read the file, and waits for a response that never arrives
	d.onPut = func(_ int, w http.ResponseWriter) bool {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return false
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return true
	}
	code := d.run(cmd)
	last, err := os.ReadFile(d.last)
	if err != nil {
		t.Fatal(err)
	}
	out, err := outcome.Parse(last)
	if code != exitStopped || err != nil || out.Error == nil || !out.Error.Retryable || out.Error.Reason != outcome.Stopped {
		t.Errorf("got exit code %d, %s, %v", code, last, err)
	}
}
