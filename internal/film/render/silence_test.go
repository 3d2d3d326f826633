// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// TestSilence decodes silence with ffmpeg: every sample exists, and every one is zero.
func TestSilence(t *testing.T) {
	needFFmpeg(t)
	path := filepath.Join(t.TempDir(), "silence.aac")
	if err := writeSilence(path, 48000); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ffmpeg", "-v", "warning", "-err_detect", "explode", "-xerror", "-f", "aac", "-i", path, "-f", "s16le", "-ac", "2", "-ar", "48000", "-").Output()
	if err != nil || len(out) != 47*1024*4 {
		t.Fatalf("got %d bytes of sound, %v", len(out), err)
	}
	for i, b := range out {
		if b != 0 {
			t.Fatalf("byte %d of the sound: got %d", i, b)
		}
	}
}

func TestSilent(t *testing.T) {
	clip := timeline.Clip{Footage: &timeline.Footage{Input: "a"}}
	loud := timeline.Clip{Footage: &timeline.Footage{Input: "a", Sound: true}}
	for name, tc := range map[string]struct {
		tl   timeline.Timeline
		want bool
	}{
		"no sound set":        {timeline.Timeline{Clips: []timeline.Clip{{}, clip}}, true},
		"the sound of a clip": {timeline.Timeline{Clips: []timeline.Clip{clip, loud}}, false},
		"music":               {timeline.Timeline{Audio: timeline.Audio{Kind: timeline.Music}}, false},
		"a voice":             {timeline.Timeline{Audio: timeline.Audio{Voices: []timeline.Voice{{Input: "v"}}}}, false},
	} {
		if got := soundless(&tc.tl); got != tc.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
