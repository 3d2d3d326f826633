// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// filmOnly is the environment variable with the working directory. If set, this program renders a video and nothing
// else, to measure its memory.
const filmOnly = "RENDER_TEST_FILM"

// TestMemoryDoesNotGrowWithLength renders ten slides of three seconds and twelve of eight, with cross-fades. The
// largest resident sizes of the renderer and of an encoder, added up, may not differ by a fifth.
func TestMemoryDoesNotGrowWithLength(t *testing.T) {
	needFFmpeg(t)
	if dir := os.Getenv(filmOnly); dir != "" {
		filmOfSlides(t, dir)
		return
	}
	var peaks []int64
	for _, size := range [][2]int{{10, 90}, {12, 240}} {
		dir := t.TempDir()
		for n := range size[0] {
			if err := os.Rename(writePNG(t, photo(540, 960, uint32(n))), filepath.Join(dir, fmt.Sprintf("%02d.png", n))); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		// A fixed budget makes the garbage collector behave alike for both.
		cmd.Env = append(os.Environ(), filmOnly+"="+dir, "FRAMES="+strconv.Itoa(size[1]), "GOMAXPROCS=2", "GOGC=50")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		peak := 0
		for line := range strings.Lines(string(out)) {
			if _, kb, ok := strings.Cut(strings.TrimSpace(line), "peak kB "); ok {
				if peak, err = strconv.Atoi(kb); err != nil {
					t.Fatal(err)
				}
			}
		}
		if peak == 0 {
			t.Fatalf("no peak in: %s", out)
		}
		peaks = append(peaks, int64(peak))
	}
	t.Logf("got %d MB and %d MB", peaks[0]>>10, peaks[1]>>10)
	if lo, hi := min(peaks[0], peaks[1]), max(peaks[0], peaks[1]); hi*5 > lo*6 {
		t.Errorf("got peaks of %d MB and %d MB: the memory depends on the length of a video", peaks[0]>>10, peaks[1]>>10)
	}
}

// filmOfSlides renders a video of the images in a directory. It prints the peak of this process and of its largest
// child.
func filmOfSlides(t *testing.T, dir string) {
	frames, err := strconv.Atoi(os.Getenv("FRAMES"))
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 540, Height: 960}, FPS: 30}
	paths := map[string]string{}
	for n, path := range pictures {
		key := fmt.Sprint("p", n)
		paths[key] = path
		c := timeline.Clip{Background: timeline.Background{Input: key}, Frames: frames}
		if n%6 == 1 {
			c.Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.05}
		}
		if n < len(pictures)-1 {
			c.Transition = timeline.Transition{Kind: timeline.Crossfade, Frames: 9}
		}
		tl.Clips = append(tl.Clips, c)
	}
	if _, err := Film(t.Context(), tl, paths, filepath.Join(dir, "film.mp4"), Options{Threads: 2}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("peak kB", peakOf(t))
}

// peakOf returns the largest resident size of this process and that of its largest child, in kB.
func peakOf(t *testing.T) int64 {
	t.Helper()
	sum := int64(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		sum += u.Maxrss
	}
	return sum
}
