// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/work/outcome"
)

func listened(t *testing.T, doc []byte, contentType string, l Limits) (*Voice, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	return tools().Voice(t.Context(), path, contentType, l)
}

// A tone from second 1 to 2 of 4 is loud there and silent elsewhere, in every format.
func TestVoice(t *testing.T) {
	tone := []string{"-af", "volume='between(t,1,2)':eval=frame"}
	for name, c := range map[string]struct {
		args        []string
		contentType string
	}{
		"a.wav":  {append(tone, "-ar", "8000"), sniff.WAV},
		"a.flac": {append(tone, "-ac", "6"), sniff.FLAC},
		"a.mp3":  {tone, sniff.MP3},
		"a.m4a":  {tone, sniff.M4A},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := listened(t, sounds(t, name, c.args...), c.contentType, limits())
			if err != nil {
				t.Fatal(err)
			}
			if off := v.Duration - 4*time.Second; max(off, -off) > 60*time.Millisecond || len(v.Levels) != int(math.Ceil(float64(v.Duration)/float64(LevelStep))) {
				t.Errorf("got %s of sound with %d levels", v.Duration, len(v.Levels))
			}
			for i, level := range v.Levels {
				at := time.Duration(i) * LevelStep
				loud := at > 1060*time.Millisecond && at < 1940*time.Millisecond
				quiet := at < 940*time.Millisecond || at > 2100*time.Millisecond
				if loud && level < 1e-4 || quiet && level > 1e-7 {
					t.Fatalf("the level at %s is %g", at, level)
				}
			}
		})
	}
}

func TestVoice_Errors(t *testing.T) {
	long := limits()
	long.Duration = time.Second
	wav := sounds(t, "a.wav")
	for name, c := range map[string]struct {
		doc         []byte
		contentType string
		limits      Limits
		reason      outcome.Reason
	}{
		"too long":      {wav, sniff.WAV, long, outcome.TooLong},
		"a playlist":    {[]byte("#EXTM3U\nfile:///etc/passwd\n"), sniff.MP4, limits(), outcome.Unreadable},
		"another type":  {wav, sniff.FLAC, limits(), outcome.Unreadable},
		"nothing":       {nil, sniff.MP3, limits(), outcome.Unreadable},
		"of no type":    {wav, "text/plain", limits(), outcome.Unreadable},
		"cut off early": {wav[:30], sniff.WAV, limits(), outcome.Unreadable},
	} {
		_, err := listened(t, c.doc, c.contentType, c.limits)
		var r *Refusal
		if !errors.As(err, &r) || r.Reason != c.reason {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
