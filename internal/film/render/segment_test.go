// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/film/timeline"
)

func TestSegments_Cut(t *testing.T) {
	tl, _ := sampleFilm(t)
	all := cut(tl, tl.Shots())
	var first, coded, images []int
	total := 0
	for _, s := range all {
		first, coded, images = append(first, s.first), append(coded, len(s.shots)), append(images, s.images())
		total += s.frames()
		for n, r := range s.repeat {
			if z := s.shots[n].A; tl.Clips[z.Clip].Motion.Kind == timeline.SlowZoom && r > 0 {
				t.Errorf("frame %d of the segment at %d moves and is repeated %d times", n, s.first, r)
			}
		}
	}
	if total != tl.Frames() {
		t.Errorf("got %d frames, want %d", total, tl.Frames())
	}
	// The first still, 19 frames of zoom, the last of it with 7 of fading, the last still.
	if want := []int{0, 30, 49, 57}; !cmp.Equal(first, want) {
		t.Errorf("got segments at %v, want %v", first, want)
	}
	if want := []int{1, 19, 8, 1}; !cmp.Equal(images, want) {
		t.Errorf("got segments of %v images, want %v", images, want)
	}
	if want := []int{1, 2, 1, 1}; !cmp.Equal(coded, want) { // the zoom has an anchor every 16 images
		t.Errorf("got segments with %v images for the encoder, want %v", coded, want)
	}
}

// TestSpread checks that there is a lane for each processor if all images are encoded, and fewer if most are written.
func TestSpread(t *testing.T) {
	stills, zoomed := &timeline.Timeline{FPS: 30}, &timeline.Timeline{FPS: 30}
	for range 8 {
		still := timeline.Clip{Frames: 90}
		stills.Clips = append(stills.Clips, still)
		still.Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.1}
		zoomed.Clips = append(zoomed.Clips, still)
	}
	for _, tc := range []struct {
		name              string
		tl                *timeline.Timeline
		processors, lanes int
	}{
		{"stills", stills, 1, 1},
		{"stills", stills, 2, 2},
		{"stills", stills, 4, 4},
		{"zooms", zoomed, 1, 1},
		{"zooms", zoomed, 2, 1},
		{"zooms", zoomed, 8, 2},
	} {
		segments := cut(tc.tl, tc.tl.Shots())
		lanes := spread(segments, tc.tl, tc.processors)
		if got := slices.Concat(lanes...); len(lanes) != tc.lanes || !slices.Equal(got, segments) {
			t.Errorf("%s on %d processors: got %d lanes with %d of %d segments, want %d lanes", tc.name, tc.processors, len(lanes), len(got), len(segments), tc.lanes)
		}
	}
}

// TestSegments_LookLikePlainEncoding compares a video with repeated frames to one with every frame encoded.
func TestSegments_LookLikePlainEncoding(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	tl.Clips[2].Frames = 400 // longer than the maximum of a group of pictures
	dir := t.TempDir()
	heldFilm, plainFilm := filepath.Join(dir, "held.mp4"), filepath.Join(dir, "plain.mp4")
	r, err := Film(t.Context(), tl, paths, heldFilm, Options{Threads: 2, Preset: Medium, CRF: 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Encoded != 29 || r.Probe.Frames != tl.Frames() {
		t.Errorf("got %d of %d frames encoded, want 29", r.Encoded, r.Probe.Frames)
	}
	p, err := Film(t.Context(), tl, paths, plainFilm, Options{Threads: 2, Preset: Medium, CRF: 10, EveryFrame: true})
	if err != nil {
		t.Fatal(err)
	}
	if p.Encoded != tl.Frames() {
		t.Errorf("got %d encoded frames, want all %d", p.Encoded, tl.Frames())
	}
	if out, err := exec.Command("ffmpeg", "-v", "warning", "-err_detect", "explode", "-xerror", "-i", heldFilm, "-f", "null", "-").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("decoding errors: %v %s", err, out)
	}
	if got := keyFrames(t, heldFilm); got != "0 30 49 207 357" {
		t.Errorf("got key frames at %s, want each cut, the frame before each fade and every five seconds of a long slide", got)
	}
	for n, v := range ssim(t, heldFilm, plainFilm) {
		want := 0.995
		if n >= 30 && n < 57 { // moving frames: the frames before change the encoder's distribution of bits
			want = 0.99
		}
		if v < want {
			t.Errorf("frame %d differs from plain encoding: SSIM %.4f", n, v)
		}
	}
}

// ssim compares two videos frame by frame.
func ssim(t *testing.T, a, b string) []float64 {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", a, "-i", b, "-lavfi", "ssim=stats_file=-", "-f", "null", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for line := range strings.Lines(string(out)) {
		if _, rest, ok := strings.Cut(line, "All:"); ok {
			v, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		t.Fatal("no frames were compared")
	}
	return all
}

// TestSegments_UnknownStreamFallsBack renders with an encoder whose stream cannot be extended.
func TestSegments_UnknownStreamFallsBack(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "ffmpeg")
	script := "#!/bin/bash\nargs=()\nfor a in \"$@\"; do args+=(\"${a/ref=1:/ref=2:}\"); done\nexec " + real + " \"${args[@]}\"\n"
	if err := os.WriteFile(other, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := Film(t.Context(), tl, paths, filepath.Join(t.TempDir(), "film.mp4"), Options{FFmpeg: other})
	if err != nil {
		t.Fatal(err)
	}
	if r.Encoded != tl.Frames() {
		t.Errorf("got %d encoded frames, want all %d", r.Encoded, tl.Frames())
	}
}

// TestSegments_WrittenFades checks which cross-fades are written and which are encoded.
func TestSegments_WrittenFades(t *testing.T) {
	t.Parallel()
	footage := &timeline.Footage{Input: "clip"}
	for name, tc := range map[string]struct {
		change func(*timeline.Timeline)
		want   bool
	}{
		"between stills": {func(*timeline.Timeline) {}, true},
		"into a zoom": {func(tl *timeline.Timeline) {
			tl.Clips[1].Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 2}
		}, true},
		"text that stays":              {func(tl *timeline.Timeline) { tl.Clips[0].Spots = []timeline.Spot{{From: 0, To: 30}} }, true},
		"text that leaves in the fade": {func(tl *timeline.Timeline) { tl.Clips[0].Spots = []timeline.Spot{{From: 0, To: 27}} }, false},
		"text that comes in the fade":  {func(tl *timeline.Timeline) { tl.Clips[1].Spots = []timeline.Spot{{From: 2, To: 30}} }, false},
		"from footage":                 {func(tl *timeline.Timeline) { tl.Clips[0].Footage = footage }, false},
		"into footage":                 {func(tl *timeline.Timeline) { tl.Clips[1].Footage = footage }, false},
		"with an inset":                {func(tl *timeline.Timeline) { tl.Clips[1].Inset = &timeline.Inset{Footage: *footage} }, false},
	} {
		tl := &timeline.Timeline{Version: 1, FPS: 30, Clips: []timeline.Clip{
			{Frames: 30, Transition: timeline.Transition{Kind: timeline.Crossfade, Frames: 8}}, {Frames: 30},
		}}
		tc.change(tl)
		written, frames := 0, 0
		for _, s := range cut(tl, tl.Shots()) {
			frames += s.frames()
			written += len(s.written[len(s.written)-1].fade)
		}
		want := 0
		if tc.want {
			want = 8
		}
		if written != want || frames != 60 {
			t.Errorf("%s: %d frames of the fade are written, want %d; %d frames in all, want 60", name, written, want, frames)
		}
	}
}
