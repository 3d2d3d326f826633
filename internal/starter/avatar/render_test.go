// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"context"
	"encoding/json"
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/testkit/need"
)

var films = flag.String("films", "", "folder to write all clips to, for review")

// stream is ffprobe's description of a clip's only stream.
type stream struct {
	Type     string `json:"codec_type"`
	Codec    string `json:"codec_name"`
	Profile  string `json:"profile"`
	Pixels   string `json:"pix_fmt"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Rate     string `json:"r_frame_rate"`
	MeanRate string `json:"avg_frame_rate"`
	Packets  string `json:"nb_read_packets"`
	Range    string `json:"color_range"`
	Space    string `json:"color_space"`
}

func streams(t *testing.T, path string) []stream {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-loglevel", "error", "-count_packets", "-show_streams", "-of", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Streams []stream }
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Streams
}

// With -short, the clip has only its first frames.
func TestRender_Clip(t *testing.T) {
	need.Program(t, "ffmpeg")
	out, frames := filepath.Join(t.TempDir(), "clip.mp4"), All()[0].Frames
	if testing.Short() {
		frames = 6
		f := newFigure(t.Context(), cast[0].look(), Width, Height)
		f.moves = f.moves[:frames]
		if err := f.encode(t.Context(), "ffmpeg", out); err != nil {
			t.Fatal(err)
		}
	} else if err := Render(t.Context(), "ffmpeg", All()[0].Name, out); err != nil {
		t.Fatal(err)
	}
	want := []stream{{
		Type: "video", Codec: "h264", Profile: "High", Pixels: "yuv420p", Width: 1080, Height: 1920, Rate: "30/1", MeanRate: "30/1",
		Packets: strconv.Itoa(frames), Range: "tv", Space: "bt709",
	}}
	if d := cmp.Diff(want, streams(t, out)); d != "" {
		t.Error(d)
	}
	if said, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-err_detect", "explode", "-i", out, "-f", "null", "-").CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("decoding: %v: %s", err, said)
	}
}

func TestRender_AllClips(t *testing.T) {
	if *films == "" {
		t.Skip("set -films=FOLDER to write the clips")
	}
	for _, i := range All() {
		if err := Render(t.Context(), "ffmpeg", i.Name, filepath.Join(*films, i.Name+Extension)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRender_Errors(t *testing.T) {
	name := All()[0].Name
	if err := Render(t.Context(), "false", name, filepath.Join(t.TempDir(), "clip.mp4")); err == nil {
		t.Error("no error from an encoder that exits at once")
	}
	if err := Render(t.Context(), "ffmpeg", "nobody", filepath.Join(t.TempDir(), "clip.mp4")); err == nil {
		t.Error("no error for an unknown name")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := Render(ctx, "ffmpeg", name, filepath.Join(t.TempDir(), "clip.mp4")); err == nil {
		t.Error("no error when canceled")
	}
}
