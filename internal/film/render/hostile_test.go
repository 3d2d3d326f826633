// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/testkit/hostile"
)

// mostForOneInput is the maximum, in MB, of the sum of the largest resident sizes of the renderer and of a child,
// while the input of a user is read.
const mostForOneInput = 600

// inputOnly is the environment variable with the input file. If set, this program renders the file and nothing else,
// to measure its memory.
const inputOnly = "RENDER_TEST_INPUT"

// hostileFile returns a file of the corpus.
func hostileFile(t *testing.T, name string) hostile.File {
	t.Helper()
	s := hostile.NewSeeds(t)
	for _, f := range append(s.Sounds(), s.Films(hostile.NewBait(t))...) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("the corpus has no %q", name)
	return hostile.File{}
}

// usedAs returns a timeline of half a second for a way to use the input named "in".
func usedAs(use, contentType string) *timeline.Timeline {
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 180, Height: 320}, FPS: 30, Clips: []timeline.Clip{{Frames: 15, Background: timeline.Background{Input: "picture"}}}}
	switch use {
	case "music":
		tl.Audio = timeline.Audio{Kind: timeline.Music, Input: "in", Loop: true}
	case "voice":
		tl.Audio.Voices = []timeline.Voice{{Input: "in"}}
	default:
		tl.Clips[0].Background.Input = ""
		tl.Clips[0].Footage = &timeline.Footage{Input: "in", ContentType: contentType, Frames: 15, Sound: use == "sound of a clip"}
	}
	return tl
}

// TestFilm_BoundsMemoryOfHostileInputs renders videos of hostile files in a separate process and bounds the memory of
// that process and its children.
func TestFilm_BoundsMemoryOfHostileInputs(t *testing.T) {
	needFFmpeg(t)
	if path := os.Getenv(inputOnly); path != "" {
		tl := usedAs(os.Getenv("USE"), os.Getenv("TYPE"))
		paths := map[string]string{"in": path, "picture": writePNG(t, photo(180, 320, 1))}
		_, err := Film(t.Context(), tl, paths, filepath.Join(t.TempDir(), "film.mp4"), Options{Threads: 1})
		var e *Error
		switch {
		case err == nil:
			fmt.Println("\noutcome made")
		case errors.As(err, &e):
			fmt.Println("\noutcome", e.Kind, e.Field, e.Message)
		default:
			fmt.Println("\noutcome", err)
		}
		fmt.Println("peak kB", peakOf(t))
		return
	}
	const refused = "bad_input inputs.in The file has more metadata than is accepted."
	for _, c := range []struct{ file, use, want string }{
		{"MP3 with three covers of 6,000 x 6,000", "music", "made"},
		{"M4A with three covers of 6,000 x 6,000", "music", "made"},
		{"FLAC with three covers of 6,000 x 6,000", "music", "made"},
		{"MP3 with three covers of 6,000 x 6,000", "voice", "made"},
		{"WebM with eight tags", "clip", "made"},
		{"WebM with eight tags of 2 MB", "clip", refused},
		{"WebM with eight tags of 2 MB", "sound of a clip", refused},
	} {
		t.Run(c.file+" as "+c.use, func(t *testing.T) {
			f := hostileFile(t, c.file)
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run", "^TestFilm_BoundsMemoryOfHostileInputs$", "-test.v")
			cmd.Env = append(os.Environ(), inputOnly+"="+path, "USE="+c.use, "TYPE="+f.Type)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			speechLike := map[string]string{}
			for line := range strings.Lines(string(out)) {
				for _, key := range []string{"outcome ", "peak kB "} {
					if v, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
						speechLike[key] = v
					}
				}
			}
			if speechLike["outcome "] != c.want {
				t.Errorf("got outcome %q, want %q", speechLike["outcome "], c.want)
			}
			kb, err := strconv.Atoi(speechLike["peak kB "])
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if t.Logf("%d MB", kb>>10); kb>>10 > mostForOneInput {
				t.Errorf("got %d MB, want at most %d", kb>>10, mostForOneInput)
			}
		})
	}
}

// TestOutput_IsBounded runs a program that writes without end.
func TestOutput_IsBounded(t *testing.T) {
	endless := func() *process { return command(t.Context(), "sh", "-c", "exec head -c 64000000 /dev/zero") }
	if out, err := endless().output(); err == nil {
		t.Errorf("got %d bytes of output", len(out))
	}
}
