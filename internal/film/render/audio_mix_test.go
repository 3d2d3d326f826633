// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// speechLike writes a sound like speech at the given level: words of noise in the range of a voice with pauses
// between sentences, a second and a half of sound in every two seconds.
func speechLike(t *testing.T, seconds, db string, more ...string) string {
	return sounding(t, "wav", append([]string{
		"-f", "lavfi", "-i",
		"anoisesrc=c=pink:r=48000:seed=7:d=" + seconds + ",bandpass=f=700:w=900,volume='if(lt(mod(t,2),1.5),0.55+0.45*sin(26*t),0)':eval=frame,volume=38dB,volume=" + db + "dB",
	}, more...)...)
}

// musicLike writes a sound like music: a chord that swells a little.
func musicLike(t *testing.T, seconds, db string, more ...string) string {
	return sounding(t, "wav", append([]string{
		"-f", "lavfi", "-i",
		"aevalsrc='(0.2*sin(2*PI*110*t)+0.2*sin(2*PI*277*t)+0.2*sin(2*PI*440*t))*(0.8+0.2*sin(2*t))':s=44100:d=" + seconds + ",volume=" + db + "dB",
	}, more...)...)
}

func sounding(t *testing.T, format string, args ...string) string {
	t.Helper()
	needFFmpeg(t)
	out := filepath.Join(t.TempDir(), "sound."+format)
	args = append(append([]string{"-v", "error", "-nostdin"}, args...), "-y", out)
	if b, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return out
}

// soundFilm is a video of clips with their own sound, voices and music.
type soundFilm struct {
	tl    timeline.Timeline
	paths map[string]string
}

func newSoundFilm(frames ...int) *soundFilm {
	f := &soundFilm{timeline.Timeline{Version: 1, FPS: 30}, map[string]string{}}
	for range frames {
		f.tl.Clips = append(f.tl.Clips, timeline.Clip{})
	}
	for i, n := range frames {
		f.tl.Clips[i].Frames = n
	}
	return f
}

func (f *soundFilm) key(path string) string {
	key := fmt.Sprintf("in%d", len(f.paths))
	f.paths[key] = path
	return key
}

func (f *soundFilm) voice(path string, at int) *soundFilm {
	f.tl.Audio.Voices = append(f.tl.Audio.Voices, timeline.Voice{Input: f.key(path), At: at})
	return f
}

func (f *soundFilm) music(path string) *soundFilm {
	f.tl.Audio.Kind, f.tl.Audio.Input, f.tl.Audio.Loop, f.tl.Audio.FadeOutFrames = timeline.Music, f.key(path), true, 30
	return f
}

func (f *soundFilm) footage(i int, path, contentType string, frames int, loop bool) *soundFilm {
	f.tl.Clips[i].Footage = &timeline.Footage{Input: f.key(path), ContentType: contentType, Frames: frames, Loop: loop, Sound: true}
	return f
}

// mute gives a clip inaudible footage.
func (f *soundFilm) mute(i int) *soundFilm {
	f.tl.Clips[i].Footage = &timeline.Footage{Input: "mute", ContentType: "video/mp4", Frames: f.tl.Clips[i].Frames}
	return f
}

// drums returns music with peaks far above its mean level.
func drums(t *testing.T) string {
	return sounding(t, "wav", "-f", "lavfi", "-i",
		"aevalsrc='0.95*sin(2*PI*60*t)*exp(-20*mod(t,0.5))+0.9*(2*random(0)-1)*exp(-60*mod(t+0.25,0.5))':s=44100:d=9")
}

// track encodes the sound of the video.
func (f *soundFilm) track(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "track.aac")
	if err := newSoundtrack("ffmpeg", "ffprobe", &f.tl, f.paths).encode(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// measured returns ffmpeg's measurements of a track: its loudness, its true peak and its length.
func measured(t *testing.T, track string) (loudness, peak, seconds float64) {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-hide_banner", "-nostats", "-i", track, "-af", "ebur128=peak=true:framelog=verbose", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	_, summary, _ := strings.Cut(string(out), "Summary:")
	for line := range strings.Lines(summary) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		v, err := strconv.ParseFloat(f[1], 64)
		switch {
		case f[0] == "I:":
			loudness = v
		case f[0] == "Peak:" && err == nil:
			peak = v
		case f[0] == "Peak:":
			peak = math.Inf(-1)
		}
	}
	return loudness, peak, float64(len(samplesOfTrack(t, track))) / sampleRate
}

// samplesOfTrack returns the left samples of a track at their positions in the video: the encoder's priming samples
// replace the samples that were cut for them.
func samplesOfTrack(t *testing.T, track string) []float64 {
	t.Helper()
	raw, err := exec.Command("ffmpeg", "-v", "error", "-i", track, "-f", "s16le", "-ac", "2", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(raw)/4)
	for i := range out {
		out[i] = float64(int16(uint16(raw[4*i])|uint16(raw[4*i+1])<<8)) / 32768
	}
	return out
}

// levelAt returns the mean level of a range of samples, in dB.
func levelAt(x []float64, from, to float64) float64 {
	sum, a, b := 0.0, int(from*sampleRate), min(int(to*sampleRate), len(x))
	for _, v := range x[a:b] {
		sum += v * v
	}
	return 10 * math.Log10(sum/float64(b-a)+1e-12)
}

func TestMix_Loudness(t *testing.T) {
	needFFmpeg(t)
	for name, f := range map[string]*soundFilm{
		"only speech":                newSoundFilm(240).voice(speechLike(t, "6", "-8"), 0),
		"quiet speech":               newSoundFilm(240).voice(speechLike(t, "6", "-30"), 0).music(musicLike(t, "9", "-6")),
		"loud speech":                newSoundFilm(240).voice(speechLike(t, "6", "14"), 0).music(musicLike(t, "9", "-6")),
		"loud music":                 newSoundFilm(240).voice(speechLike(t, "6", "-8"), 0).music(musicLike(t, "3", "4")),
		"quiet music":                newSoundFilm(240).voice(speechLike(t, "6", "-8"), 0).music(musicLike(t, "9", "-35")),
		"a second":                   newSoundFilm(30).voice(speechLike(t, "1", "-12"), 0).music(musicLike(t, "4", "-10")),
		"speech late in the video":   newSoundFilm(150, 150).voice(speechLike(t, "3", "-20"), 150).music(musicLike(t, "9", "-12")),
		"two voices":                 newSoundFilm(300).voice(speechLike(t, "3", "-28"), 0).voice(speechLike(t, "3", "-4"), 150),
		"a clip's own sound":         newSoundFilm(120, 120).footage(0, speechLike(t, "4", "-22"), "audio/wav", 120, false).music(musicLike(t, "9", "-10")),
		"a clip, looped":             newSoundFilm(240).footage(0, speechLike(t, "2", "-22"), "audio/wav", 60, true),
		"clicks above the limit":     newSoundFilm(240).voice(sounding(t, "wav", "-f", "lavfi", "-i", "aevalsrc='0.02*sin(2*PI*300*t)+if(lt(mod(t,0.5),0.0006),0.9,0)':s=48000:d=8"), 0),
		"a silent clip with music":   newSoundFilm(240).footage(0, sounding(t, "wav", "-f", "lavfi", "-i", "anullsrc", "-t", "3"), "audio/wav", 240, false).music(musicLike(t, "9", "-20")),
		"only quiet music":           newSoundFilm(240).music(musicLike(t, "9", "-30")),
		"drums under a mute clip":    newSoundFilm(240).mute(0).music(drums(t)),
		"silent music under a voice": newSoundFilm(240).voice(speechLike(t, "6", "-12"), 30).music(sounding(t, "wav", "-f", "lavfi", "-i", "anullsrc", "-t", "3")),
	} {
		t.Run(name, func(t *testing.T) {
			loudness, peak, seconds := measured(t, f.track(t))
			t.Logf("got %.1f LUFS, true peak %.1f dB, %.2f s", loudness, peak, seconds)
			if math.Abs(loudness-targetLUFS) > 1 {
				t.Errorf("got %.1f LUFS, want %.0f", loudness, targetLUFS)
			}
			if peak > targetPeakDBTP {
				t.Errorf("got a true peak of %.1f dB, want at most %.0f", peak, targetPeakDBTP)
			}
			if want := float64(f.tl.Frames()) / 30; math.Abs(seconds-want) > 0.05 {
				t.Errorf("got %.3f seconds of sound, want %.3f", seconds, want)
			}
		})
	}
}

func TestMix_SilentVideosStaySilent(t *testing.T) {
	needFFmpeg(t)
	quiet := sounding(t, "wav", "-f", "lavfi", "-i", "anullsrc", "-t", "3")
	for name, f := range map[string]*soundFilm{
		"nothing":        newSoundFilm(90),
		"a silent voice": newSoundFilm(90).voice(quiet, 0),
		"a silent clip":  newSoundFilm(90).footage(0, quiet, "audio/wav", 90, false).music(quiet),
		"no sound at all": newSoundFilm(90).footage(0, sounding(t, "mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=30:d=3", "-c:v", "libx264", "-preset", "ultrafast"),
			"video/mp4", 90, false),
	} {
		t.Run(name, func(t *testing.T) {
			if v := levelAt(samplesOfTrack(t, f.track(t)), 0, 3); v > -90 {
				t.Errorf("got sound of %.1f dB", v)
			}
		})
	}
}

// The music is ducked before the first word, and back after the last.
func TestMix_DucksMusic(t *testing.T) {
	needFFmpeg(t)
	// The voice is high and the music low, so that they can be measured separately.
	voice := sounding(t, "wav", "-f", "lavfi", "-i", "sine=f=3000:d=2:r=48000")
	f := newSoundFilm(240).voice(voice, 90).music(sounding(t, "wav", "-f", "lavfi", "-i", "sine=f=220:d=9:r=48000"))
	f.tl.Audio.FadeOutFrames = 0
	low := filepath.Join(t.TempDir(), "low.wav")
	if b, err := exec.Command("ffmpeg", "-v", "error", "-i", f.track(t), "-af", "lowpass=f=600,lowpass=f=600,lowpass=f=600", low).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	x := samplesOfTrack(t, low)
	before, early, during, pause, after := levelAt(x, 1, 2.8), levelAt(x, 2.8, 2.9), levelAt(x, 3.1, 4.9), levelAt(x, 5.05, 5.25), levelAt(x, 6, 7)
	t.Logf("before %.1f, just before %.1f, during %.1f, just after %.1f, after %.1f dB", before, early, during, pause, after)
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"during the voice", during - before, duckDB}, {"a tenth of a second before it", early - before, 0}, {"right after it", pause - before, duckDB}, {"a second after it", after - before, 0}} {
		if math.Abs(c.got-c.want) > 1 {
			t.Errorf("%s the music is at %.1f dB relative to before, want %.0f", c.what, c.got, c.want)
		}
	}
}

// A clip's own sound is ducked while a voice in an inset over the clip is audible, and only then.
func TestMix_DucksSoundBehindAnInset(t *testing.T) {
	needFFmpeg(t)
	voice := sounding(t, "wav", "-f", "lavfi", "-i", "sine=f=3000:d=2:r=48000")
	clip := sounding(t, "wav", "-f", "lavfi", "-i", "sine=f=220:d=9:r=48000")
	for _, inset := range []bool{false, true} {
		f := newSoundFilm(240).footage(0, clip, "audio/wav", 240, false).voice(voice, 90)
		want := 0.0
		if inset {
			f.tl.Clips[0].Inset, want = &timeline.Inset{}, duckDB
		}
		low := filepath.Join(t.TempDir(), "low.wav")
		if b, err := exec.Command("ffmpeg", "-v", "error", "-i", f.track(t), "-af", "lowpass=f=600,lowpass=f=600,lowpass=f=600", low).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		x := samplesOfTrack(t, low)
		before, during, after := levelAt(x, 1, 2.8), levelAt(x, 3.1, 4.9), levelAt(x, 6, 7)
		if math.Abs(during-before-want) > 1 || math.Abs(after-before) > 1 {
			t.Errorf("inset %v: %.1f dB before the voice, %.1f during it and %.1f after it", inset, before, during, after)
		}
	}
}

// Sounds of any sample rate and channel count are played on time: a beep at the very end of a long clip is neither
// early nor late.
func TestMix_SoundsStayInTime(t *testing.T) {
	needFFmpeg(t)
	const beepAt, long = 58.0, 60
	beep := func(rate string) []string {
		return []string{"-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,58)*lt(t,58.5)':s=" + rate + ":d=60"}
	}
	picture := []string{"-f", "lavfi", "-i", "color=s=64x64:r=25:d=60", "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-preset", "ultrafast"}
	for name, c := range map[string]struct {
		path, contentType string
		at                float64
	}{
		"mono, 8 kHz":    {sounding(t, "wav", append(beep("8000"), "-ac", "1")...), "audio/wav", beepAt},
		"44.1 kHz, AAC":  {sounding(t, "m4a", append(beep("44100"), "-c:a", "aac")...), "audio/mp4", beepAt},
		"11 kHz, MP3":    {sounding(t, "mp3", beep("11025")...), "audio/mpeg", beepAt},
		"5.1":            {sounding(t, "flac", append(beep("48000"), "-af", "pan=5.1|FC=c0")...), "audio/flac", beepAt},
		"a clip":         {sounding(t, "mp4", append(append(beep("44100"), picture...), "-c:a", "aac")...), "video/mp4", beepAt},
		"a clip in WebM": {sounding(t, "webm", append(append(beep("48000"), "-f", "lavfi", "-i", "color=s=64x64:r=25:d=60"), "-map", "1:v", "-map", "0:a", "-c:v", "libvpx", "-c:a", "libopus")...), "video/webm", beepAt},
		"sound that is late": {
			sounding(t, "mkv.mp4", append(append([]string{"-itsoffset", "0.4"}, beep("48000")...), append(picture, "-c:a", "aac")...)...),
			"video/mp4", beepAt + 0.4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := samplesOfTrack(t, newSoundFilm(long*30).footage(0, c.path, c.contentType, long*30, false).track(t))
			first := -1
			for i, v := range x {
				if math.Abs(v) > 0.1 {
					first = i
					break
				}
			}
			if got := float64(first) / sampleRate; math.Abs(got-c.at) > 0.03 {
				t.Errorf("got the beep at %.3f s, want %.3f", got, c.at)
			}
		})
	}
}

// The sound of a looped clip is played again, every time when its frames restart.
func TestMix_LoopedSoundStartsWithItsFrames(t *testing.T) {
	needFFmpeg(t)
	click := sounding(t, "wav", "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*1000*t)*lt(t,0.1)':s=48000:d=5")
	x := samplesOfTrack(t, newSoundFilm(300).footage(0, click, "audio/wav", 61, true).track(t))
	for k := range 4 {
		at := float64(k) * 61 / 30
		if on, off := levelAt(x, at+0.02, at+0.08), levelAt(x, at+0.2, at+0.4); on < off+30 {
			t.Errorf("round %d: %.1f dB at %.2f s and %.1f dB after it", k, on, at, off)
		}
	}
}

// A voice may be the own sound of a clip, which keeps its offset from the first frame of the file. A clip without sound
// is silent.
func TestMix_VoiceOfAClip(t *testing.T) {
	needFFmpeg(t)
	beep := []string{
		"-itsoffset", "0.4", "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,1)*lt(t,1.5)':s=44100:d=3",
		"-f", "lavfi", "-i", "color=s=64x64:r=25:d=3", "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac",
	}
	f := newSoundFilm(150).voice(sounding(t, "mp4", beep...), 30)
	f.tl.Audio.Voices[0].ContentType = "video/mp4"
	first := -1
	for i, v := range samplesOfTrack(t, f.track(t)) {
		if math.Abs(v) > 0.1 {
			first = i
			break
		}
	}
	if got := float64(first) / sampleRate; math.Abs(got-2.4) > 0.03 {
		t.Errorf("got the beep at %.3f s, want 2.4", got)
	}
	f = newSoundFilm(30).voice(sounding(t, "mp4", "-f", "lavfi", "-i", "color=s=64x64:d=1", "-c:v", "libx264", "-preset", "ultrafast"), 0)
	f.tl.Audio.Voices[0].ContentType = "video/mp4"
	if v := levelAt(samplesOfTrack(t, f.track(t)), 0, 1); v > -90 {
		t.Errorf("a clip without sound has sound of %.1f dB", v)
	}
}

func TestMix_IsDeterministic(t *testing.T) {
	needFFmpeg(t)
	f := newSoundFilm(120).voice(speechLike(t, "3", "-8"), 10).music(musicLike(t, "2", "-3"))
	var made [2][]byte
	for i := range made {
		b, err := os.ReadFile(f.track(t))
		if err != nil {
			t.Fatal(err)
		}
		made[i] = b
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("two mixes of the same video differ")
	}
}

func TestMix_InvalidVoices(t *testing.T) {
	needFFmpeg(t)
	wav := musicLike(t, "1", "-10")
	doc, err := os.ReadFile(wav)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"a playlist": []byte("#EXTM3U\nhttp://127.0.0.1/x.ts\n"), "nothing": {}, "a broken header": append([]byte("fLaC"), doc...)} {
		f := newSoundFilm(30).voice(writeFile(t, b), 0)
		err := newSoundtrack("ffmpeg", "ffprobe", &f.tl, f.paths).encode(t.Context(), filepath.Join(t.TempDir(), "x.aac"))
		var e *Error
		if !errors.As(err, &e) || e.Kind != BadInput || e.Field != "inputs.in0" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
