// SPDX-License-Identifier: Apache-2.0

package music

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/reelops/reelops/internal/starter/music/synth"
)

func TestPieces_AreComplete(t *testing.T) {
	all := Tracks()
	if len(all) < 8 {
		t.Fatalf("got %d pieces", len(all))
	}
	names, titles, genres := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, track := range all {
		names[track.Name], titles[track.Title], genres[track.Genre] = true, true, true
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(track.Name) || len(track.Name) > 50 {
			t.Errorf("%q is not a valid object name", track.Name)
		}
		if s := track.Duration().Seconds(); s < 24 || s > 60 {
			t.Errorf("%s lasts %.1f s", track.Name, s)
		}
		if len(track.Moods) < 3 || track.Artist == "" || track.License.Name == "" || track.License.URL == "" || track.License.AttributionRequired || track.BPM < 40 {
			t.Errorf("got %+v", track)
		}
		if got, ok := ByName(track.Name); !ok || got.Title != track.Title || got.Artist != track.Artist {
			t.Errorf("%s: got %+v", track.Name, got)
		}
	}
	if len(names) != len(all) || len(titles) != len(all) || len(genres) < 8 {
		t.Errorf("got %d names, %d titles, %d genres for %d pieces", len(names), len(titles), len(genres), len(all))
	}
	if _, ok := ByName("nothing"); ok {
		t.Error("got no piece")
	}
	if _, err := Compose("nothing"); err == nil {
		t.Error("got no sound")
	}
}

// coffee is the piece of most tests: composing one takes seconds.
const coffee = "sunday-coffee"

var composedCoffee = sync.OnceValues(func() (*synth.Stereo, error) { return Compose(coffee) })

// Every piece is measured for audible defects, and one with -short.
func TestPieces_Quality(t *testing.T) {
	for _, track := range Tracks() {
		if testing.Short() && track.Name != coffee {
			continue
		}
		t.Run(track.Name, func(t *testing.T) {
			t.Parallel()
			compose := func() (*synth.Stereo, error) { return Compose(track.Name) }
			if track.Name == coffee {
				compose = composedCoffee
			}
			s, err := compose()
			if err != nil {
				t.Fatal(err)
			}
			if s.Len() != track.samples() {
				t.Errorf("got %d samples, want %d", s.Len(), track.samples())
			}
			if l := synth.Loudness(s); math.Abs(l-targetLUFS) > 0.3 {
				t.Errorf("got %.2f LUFS", l)
			}
			// With 2 dB more, as in a video, the peak must still be below -1.
			if p := synth.TruePeak(s); p > ceilingDBTP+0.2 {
				t.Errorf("got a peak of %.2f dBTP", p)
			}
			standing(t, s)
			seam(t, s)
			gaps(t, s)
			balance(t, s)
		})
	}
}

// standing reports an offset, and a louder side.
func standing(t *testing.T, s *synth.Stereo) {
	t.Helper()
	var l, r, ll, rr, lr float64
	for i := range s.L {
		a, b := float64(s.L[i]), float64(s.R[i])
		l, r, ll, rr, lr = l+a, r+b, ll+a*a, rr+b*b, lr+a*b
	}
	n := float64(s.Len())
	if math.Abs(l/n) > 1e-3 || math.Abs(r/n) > 1e-3 {
		t.Errorf("got offsets of %g and %g", l/n, r/n)
	}
	if d := 10 * math.Log10(ll/rr); math.Abs(d) > 2.5 {
		t.Errorf("the left is %.1f dB louder than the right", d)
	}
	// Narrow enough for one speaker, wide enough for two.
	if c := lr / math.Sqrt(ll*rr); c < 0.2 || c > 0.985 {
		t.Errorf("got a correlation of the sides of %.3f", c)
	}
}

// seam reports a step from the end to the start that differs from steps inside: in a loop the seam must be inaudible.
func seam(t *testing.T, s *synth.Stereo) {
	t.Helper()
	n := s.Len()
	for _, side := range [][]float32{s.L, s.R} {
		at := func(i int) float64 { return float64(side[((i%n)+n)%n]) }
		// The second difference detects clicks: at the seam and around it.
		bend := func(i int) float64 { return math.Abs(at(i+1) - 2*at(i) + at(i-1)) }
		around := 0.0
		for k := 3; k < 2000; k++ {
			around = max(around, bend(-k), bend(k))
		}
		if here := max(bend(-1), bend(0)); here > 1.2*around+1e-4 {
			t.Errorf("click at the seam: %.4f, around it %.4f", here, around)
		}
	}
	// The loop is as loud just before the seam as the sound that rings there: no fade-out.
	if before := power(s, n-synth.Rate/2, n); 10*math.Log10(before+1e-12) < -45 {
		t.Errorf("the end is faded out: %.1f dB", 10*math.Log10(before+1e-12))
	}
}

func power(s *synth.Stereo, from, to int) float64 {
	sum := 0.0
	for i := from; i < to; i++ {
		sum += float64(s.L[i])*float64(s.L[i]) + float64(s.R[i])*float64(s.R[i])
	}
	return sum / float64(2*(to-from))
}

// gaps reports a silent second.
func gaps(t *testing.T, s *synth.Stereo) {
	t.Helper()
	for at := 0; at+synth.Rate <= s.Len(); at += synth.Rate / 2 {
		if db := 10 * math.Log10(power(s, at, at+synth.Rate)+1e-12); db < -42 {
			t.Errorf("silent at %.1f s: %.1f dB", float64(at)/synth.Rate, db)
		}
	}
}

// balance reports boom and hiss: the share of power below 60 Hz, from 60 to 250, and above 6 kHz.
func balance(t *testing.T, s *synth.Stereo) {
	t.Helper()
	band := func(effects ...synth.Effect) float64 {
		c := synth.NewStereo(s.Len())
		c.Mix(s, 1)
		for _, e := range effects {
			e(c)
		}
		return 10 * math.Log10(power(c, 0, c.Len())/power(s, 0, s.Len()))
	}
	low, bass, high := band(synth.LowPass(60)), band(synth.HighPass(60), synth.LowPass(250)), band(synth.HighPass(6000))
	if low > -3 || bass > -0.8 || bass < -16 || high > -12 {
		t.Errorf("below 60 Hz %.1f dB, bass %.1f dB, above 6 kHz %.1f dB of the whole", low, bass, high)
	}
}

func TestPlay_IsDeterministic(t *testing.T) {
	t.Parallel()
	a, err := composedCoffee()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Compose(coffee)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.L, b.L) || !slices.Equal(a.R, b.R) {
		t.Error("the second run differs")
	}
}

// The file equals the composition, and ffmpeg's meter agrees with ours. In a loop it has no extra sample.
func TestRender(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	out := filepath.Join(t.TempDir(), coffee+Extension)
	if err := Render(t.Context(), ffmpeg, coffee, out); err != nil {
		t.Fatal(err)
	}
	track, _ := ByName(coffee)
	said, err := exec.Command(ffmpeg, "-hide_banner", "-nostats", "-stream_loop", "1", "-f", "flac", "-i", "file:"+out,
		"-af", "ebur128=peak=true,ashowinfo", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	heard := 0
	for _, m := range regexp.MustCompile(`nb_samples:(\d+)`).FindAllStringSubmatch(string(said), -1) {
		n, _ := strconv.Atoi(m[1])
		heard += n
	}
	if heard != 2*track.samples() {
		t.Errorf("two rounds: got %d samples, want %d", heard, 2*track.samples())
	}
	summary := string(said[strings.LastIndex(string(said), "Summary:"):])
	var lufs, peak float64
	for re, into := range map[string]*float64{`I:\s+(-?[\d.]+) LUFS`: &lufs, `Peak:\s+(-?[\d.]+) dBFS`: &peak} {
		m := regexp.MustCompile(re).FindStringSubmatch(summary)
		if m == nil {
			t.Fatalf("no measurement in %s", summary)
		}
		_, _ = fmt.Sscan(m[1], into)
	}
	if math.Abs(lufs-targetLUFS) > 0.4 || peak > -3 {
		t.Errorf("ffmpeg measures %.1f LUFS and %.1f dBTP", lufs, peak)
	}
	if err := Render(t.Context(), ffmpeg, "nothing", out); err == nil {
		t.Error("an unknown piece is rendered")
	}
	if err := Render(t.Context(), "/bin/false", coffee, out); err == nil {
		t.Error("an encoder error is not reported")
	}
}
