// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// TestFilm_DecodersAgree compares every byte of every frame of a video as decoded by Cisco's decoder and by ffmpeg.
func TestFilm_DecodersAgree(t *testing.T) {
	needFFmpeg(t)
	dir := t.TempDir()
	decoder := filepath.Join(dir, "openh264")
	if out, err := exec.Command("g++", "-O2", "-o", decoder, "testdata/openh264.cpp", "-lopenh264").CombinedOutput(); err != nil {
		t.Skipf("the other decoder cannot be built: apt-get install g++ libopenh264-dev: %v %.200s", err, out)
	}
	tl, paths := captioned(t)
	tl.Clips[0].Frames = 200 // longer than a group of pictures
	tl.Clips[2].Frames, tl.Clips[2].Layer = 60, tl.Clips[0].Layer
	tl.Clips[2].Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1.2, To: 1}
	film, stream, raw := filepath.Join(dir, "film.mp4"), filepath.Join(dir, "film.h264"), filepath.Join(dir, "film.yuv")
	if _, err := Film(t.Context(), tl, paths, film, Options{}); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ffmpeg", "-v", "error", "-i", film, "-an", "-c", "copy", "-bsf:v", "h264_mp4toannexb", stream).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(decoder, stream, raw).CombinedOutput(); err != nil {
		t.Fatalf("the other decoder reports an error: %v: %s", err, out)
	}
	theirs, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	ffmpeg := exec.Command("ffmpeg", "-v", "warning", "-err_detect", "explode", "-xerror", "-i", film, "-an", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
	var speechLike bytes.Buffer
	ffmpeg.Stderr = &speechLike
	ours, err := ffmpeg.Output()
	if err != nil || speechLike.Len() > 0 {
		t.Fatalf("ffmpeg reports an error: %v: %s", err, &speechLike)
	}
	size := 180 * 320 * 3 / 2
	if len(theirs) != tl.Frames()*size || len(ours) != len(theirs) {
		t.Fatalf("got %d and %d frames, want %d", len(theirs)/size, len(ours)/size, tl.Frames())
	}
	for n := range tl.Frames() {
		if !bytes.Equal(theirs[n*size:(n+1)*size], ours[n*size:(n+1)*size]) {
			t.Fatalf("the decoders return different images for frame %d", n)
		}
	}
}
