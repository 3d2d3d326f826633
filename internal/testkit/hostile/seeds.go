// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/reelops/reelops/internal/testkit/need"
)

// Seeds are small valid files, from which the hostile ones are created.
type Seeds struct {
	JPEG, Progressive, PNG, GIF, MovingGIF, WebP, Lossless, MovingWebP, HEIC []byte
	MP4, WebM, MOV, Matroska                                                 []byte
	MP3, M4A, FLAC                                                           []byte
	stream                                                                   []byte // HEVC, one frame
}

// Side is the width and height of the seeds' images and videos, in pixels.
const Side = 96

var grow = sync.OnceValues(func() (*Seeds, error) {
	dir, err := os.MkdirTemp("", "seeds-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s := &Seeds{}
	img := scene(Side)
	var j, p, g, m bytes.Buffer
	still := image.NewPaletted(img.Rect, palette.Plan9)
	for y := range Side {
		for x := range Side {
			still.Set(x, y, img.At(x, y))
		}
	}
	for _, err := range []error{
		jpeg.Encode(&j, img, nil), png.Encode(&p, img), gif.Encode(&g, still, nil),
		gif.EncodeAll(&m, &gif.GIF{Image: []*image.Paletted{still, still, still}, Delay: []int{5, 5, 5}}),
	} {
		if err != nil {
			return nil, err
		}
	}
	s.JPEG, s.PNG, s.GIF, s.MovingGIF = j.Bytes(), p.Bytes(), g.Bytes(), m.Bytes()
	if err := os.WriteFile(filepath.Join(dir, "scene.png"), s.PNG, 0o600); err != nil {
		return nil, err
	}
	picture := []string{"-i", "scene.png"}
	film := []string{"-f", "lavfi", "-i", fmt.Sprintf("testsrc2=size=%dx%d:rate=10:duration=2", Side, Side), "-f", "lavfi", "-i", "sine=duration=2"}
	for _, f := range []struct {
		to   *[]byte
		name string
		from []string
		args []string
	}{
		{&s.WebP, "lossy.webp", picture, []string{"-c:v", "libwebp", "-lossless", "0"}},
		{&s.Lossless, "lossless.webp", picture, []string{"-c:v", "libwebp", "-lossless", "1"}},
		{&s.MovingWebP, "moving.webp", film[:4], []string{"-c:v", "libwebp_anim", "-frames:v", "3"}},
		{&s.stream, "still.hevc", picture, []string{"-c:v", "libx265", "-pix_fmt", "yuv420p", "-x265-params", "log-level=error:info=0", "-f", "hevc"}},
		{&s.MP4, "film.mp4", film, []string{"-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"}},
		{&s.MOV, "film.mov", film, []string{"-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"}},
		{&s.WebM, "film.webm", film, []string{"-c:v", "libvpx", "-deadline", "realtime", "-b:v", "200k", "-c:a", "libopus"}},
		{&s.MP3, "sound.mp3", film[4:], []string{"-c:a", "libmp3lame", "-id3v2_version", "0"}},
		{&s.M4A, "sound.m4a", film[4:], []string{"-c:a", "aac"}},
		{&s.FLAC, "sound.flac", film[4:], []string{"-c:a", "flac"}},
		{&s.Matroska, "film.mkv", film, []string{"-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"}},
	} {
		args := append(append([]string{"-nostdin", "-v", "error", "-y"}, f.from...), append(f.args, "-threads", "1", f.name)...)
		cmd := exec.Command("ffmpeg", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("making %s: %w: %s", f.name, err, out)
		}
		if *f.to, err = os.ReadFile(filepath.Join(dir, f.name)); err != nil {
			return nil, err
		}
	}
	s.HEIC = s.heic(heif{})
	s.Progressive = progressive(Side, Side, 4)
	return s, nil
})

// NewSeeds returns the seeds, created once for each test binary. It needs ffmpeg and calls need.Program.
func NewSeeds(tb testing.TB) *Seeds {
	tb.Helper()
	need.Program(tb, "ffmpeg")
	s, err := grow()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// scene returns an image with so much detail that no format compresses it to almost nothing.
func scene(side int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	seed := uint32(1)
	for y := range side {
		for x := range side {
			seed = seed*1664525 + 1013904223
			img.SetRGBA(x, y, color.RGBA{uint8(x * 255 / side), uint8(y * 255 / side), uint8(seed >> 24), 255})
		}
	}
	return img
}
