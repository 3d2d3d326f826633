// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// Options of encoders that are used again and again.
var (
	h264Options = []string{"-c:v", "libx264", "-preset", "ultrafast", "-crf", "16"}
	bt709Tags   = []string{"-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"}
)

func options(all ...[]string) (out []string) {
	for _, o := range all {
		out = append(out, o...)
	}
	return out
}

func words(s string) []string { return strings.Fields(s) }

// corpus returns the test files, each with a different oddity.
func corpus() map[string]oddity {
	h264 := func(more ...string) []string { return options(h264Options, bt709Tags, more) }
	x265 := func(params string) []string {
		return []string{"-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params", "log-level=error:crf=16" + params}
	}
	const hdr10 = ":colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
	const hlg = ":colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc"
	basic := pattern{w: 270, h: 480, rate: "30", pictures: 24, codec: h264(), file: "mp4"}
	with := func(change func(*pattern)) pattern {
		p := basic
		change(&p)
		return p
	}
	return map[string]oddity{
		"portrait":            {made: basic},
		"landscape":           {made: with(func(p *pattern) { p.w, p.h = 640, 360 })},
		"square":              {made: with(func(p *pattern) { p.w, p.h = 360, 360 })},
		"wider than a cinema": {made: with(func(p *pattern) { p.w, p.h = 960, 240 })},
		"turned by 90":        {made: with(func(p *pattern) { p.turn = 90 })},
		"turned by 180":       {made: with(func(p *pattern) { p.turn = 180 })},
		"turned by 270":       {made: with(func(p *pattern) { p.turn = 270; p.w, p.h = 480, 270 })},
		"mirrored":            {made: with(func(p *pattern) { p.turn = mirrored })},
		"odd sides": {made: with(func(p *pattern) {
			p.w, p.h = 1081, 1919
			p.pictures = 8
			p.codec = words("-c:v mjpeg -q:v 3")
			p.pixels = "yuvj420p"
			p.matrix = "bt601"
			p.file = "mov"
		})},
		"odd sides, coded":    {made: with(func(p *pattern) { p.w, p.h = 271, 481; p.pixels = "yuv444p"; p.codec = h264("-profile:v", "high444") })},
		"tiny":                {made: with(func(p *pattern) { p.w, p.h = 32, 32 }), tolerance: 40, loose: true},
		"tinier":              {made: with(func(p *pattern) { p.w, p.h = 10, 10; p.pixels = "yuv444p"; p.codec = h264("-profile:v", "high444") }), tolerance: 60, loose: true},
		"4K":                  {made: with(func(p *pattern) { p.w, p.h, p.pictures = 3840, 2160, 8 })},
		"wide pixels":         {made: with(func(p *pattern) { p.w, p.h, p.squeeze = 1024, 576, "64:45" })},
		"tall pixels":         {made: with(func(p *pattern) { p.w, p.h, p.squeeze = 270, 480, "3:4" })},
		"wide pixels, turned": {made: with(func(p *pattern) { p.w, p.h, p.squeeze, p.turn = 576, 324, "4:3", 180 })},
		"23.976 a second":     {made: with(func(p *pattern) { p.rate, p.pictures = "24000/1001", 20 })},
		"25 a second":         {made: with(func(p *pattern) { p.rate = "25" })},
		"60 a second":         {made: with(func(p *pattern) { p.rate, p.pictures = "60", 48 })},
		"120 a second":        {made: with(func(p *pattern) { p.rate, p.pictures = "120", 96 })},
		"5 frames a second":   {made: with(func(p *pattern) { p.rate, p.pictures = "5", 5 })},
		"variable frame rate": {made: with(func(p *pattern) {
			p.pictures = 40
			p.last = "select='lt(mod(n,7),4)'"
			p.codec = h264("-fps_mode", "vfr")
		}), slack: 4},
		"one frame":           {made: with(func(p *pattern) { p.pictures = 1 }), wanted: 15},
		"a fifth of a second": {made: with(func(p *pattern) { p.pictures = 6 }), wanted: 15},
		"longer than needed":  {made: with(func(p *pattern) { p.pictures = 60 }), wanted: 20},
		"looped":              {made: with(func(p *pattern) { p.pictures = 10 }), wanted: 35, loop: true},
		"HDR10":               {made: with(func(p *pattern) { p.pixels, p.matrix, p.codec = "yuv420p10le", "bt2020", x265(hdr10) }), colour: colour{light: perceptual, gamut: wide}},
		"HLG":                 {made: with(func(p *pattern) { p.pixels, p.matrix, p.codec = "yuv420p10le", "bt2020", x265(hlg) }), colour: colour{light: hybrid, gamut: wide}},
		"wide gamut": {made: with(func(p *pattern) {
			p.matrix, p.codec = "bt2020", options(h264Options, words("-color_primaries bt2020 -color_trc bt2020-10 -colorspace bt2020nc"))
		}), colour: colour{gamut: wide}},
		"cinema gamut": {made: with(func(p *pattern) {
			p.codec = options(h264Options, words("-color_primaries smpte432 -color_trc bt709 -colorspace bt709"))
		}), colour: colour{gamut: cinema}},
		"BT.601, untagged": {made: with(func(p *pattern) { p.matrix, p.codec = "bt601", h264Options })},
		"BT.709, untagged": {made: with(func(p *pattern) { p.w, p.h, p.pictures, p.codec = 1280, 720, 8, h264Options })},
		"all numbers used": {made: with(func(p *pattern) { p.pixels = "yuvj420p" })},
		"red, green, blue": {made: with(func(p *pattern) { p.pixels, p.codec = "rgb24", words("-c:v libx264rgb -preset ultrafast -crf 10") })},
		"4:2:2, 10 bits":   {made: with(func(p *pattern) { p.pixels = "yuv422p10le" })},
		"4:4:4":            {made: with(func(p *pattern) { p.pixels = "yuv444p" })},
		"ProRes": {made: with(func(p *pattern) {
			p.pixels, p.matrix, p.codec, p.file = "yuv422p10le", "bt601", words("-c:v prores_ks -profile:v 2"), "mov"
		})},
		"ProRes, transparent": {made: with(func(p *pattern) {
			p.pixels, p.matrix, p.last, p.file = "yuva444p10le", "bt601", "lut=a=maxval/2", "mov"
			p.codec = words("-c:v prores_ks -profile:v 4444 -alpha_bits 16")
		}), dimmed: 0.5},
		"HEVC": {made: with(func(p *pattern) { p.codec = x265(":colorprim=bt709:transfer=bt709:colormatrix=bt709") })},
		"AV1":  {made: with(func(p *pattern) { p.codec = options(words("-c:v libsvtav1 -preset 12 -crf 20"), bt709Tags) })},
		"VP9 and Opus": {made: with(func(p *pattern) {
			p.sound, p.codec, p.file = "sine=f=440:r=48000,volume=-6dB", options(words("-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 20 -b:v 0 -c:a libopus"), bt709Tags), "webm"
		}), heard: true},
		"VP9, transparent": {made: with(func(p *pattern) {
			p.pixels, p.last, p.codec, p.file = "yuva420p", "lut=a=128", options(words("-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 16 -b:v 0"), bt709Tags), "webm"
		}), dimmed: 0.5},
		"VP8": {made: with(func(p *pattern) {
			p.matrix, p.codec, p.file = "bt601", words("-c:v libvpx -deadline realtime -cpu-used 8 -crf 10 -b:v 4M"), "webm"
		})},
		"MPEG-4": {made: with(func(p *pattern) { p.matrix, p.codec = "bt601", words("-c:v mpeg4 -q:v 2 -bf 2") })},
		"Motion JPEG": {made: with(func(p *pattern) {
			p.pixels, p.matrix, p.codec, p.file = "yuvj422p", "bt601", words("-c:v mjpeg -q:v 3"), "mov"
		})},
		"interlaced": {made: with(func(p *pattern) {
			p.w, p.h, p.rate, p.last, p.codec = 480, 270+18, "25", "setfield=tff", h264("-flags", "+ilme+ildct", "-x264opts", "tff=1")
		})},
		"B-frames, open GOP": {made: with(func(p *pattern) {
			p.pictures = 40
			p.codec = options(words("-c:v libx264 -preset veryfast -crf 16 -bf 3 -x264-params open-gop=1:keyint=12:min-keyint=12:b-pyramid=normal"), bt709Tags)
		})},
		"late start":         {made: with(func(p *pattern) { p.sound, p.after = "sine=f=440:r=44100", startLate }), heard: true},
		"cut within a group": {made: with(func(p *pattern) { p.pictures = 40; p.codec = h264("-g", "40"); p.after = cutWithin }), from: 10},
		"fragments":          {made: with(func(p *pattern) { p.codec = h264("-g", "8", "-movflags", "+frag_keyframe+empty_moov") })},
		"truncated": {made: with(func(p *pattern) {
			p.pictures = 30
			p.codec = h264("-g", "5", "-movflags", "+faststart")
			p.after = cutOff
		}), short: true},
		"changes its size": {made: with(func(p *pattern) {
			p.matrix, p.codec, p.file = "bt601", words("-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 20 -b:v 0"), "webm"
			p.after = changeSize
		}), wanted: 48, again: true, slack: 2},
		"mono, 8 kHz": {made: with(func(p *pattern) {
			p.sound, p.codec = "sine=f=440:r=8000", h264("-c:a", "aac", "-ac", "1", "-ar", "8000")
		}), heard: true},
		"5.1": {made: with(func(p *pattern) {
			p.sound, p.codec = "sine=f=440:r=48000,volume=-3dB,pan=5.1|FL=c0|FR=c0|FC=c0|LFE=0*c0|BL=c0|BR=c0", h264("-c:a", "aac")
		}), heard: true},
		"many streams":       {made: with(func(p *pattern) { p.sound, p.after = "sine=f=440:r=44100", manyStreams }), heard: true},
		"a cover before it":  {made: with(func(p *pattern) { p.after = cover0 })},
		"frame without time": {made: with(func(p *pattern) { p.codec = h264("-video_track_timescale", "1000") })},
	}
}

// oddity is one file and the expected result of rendering the file.
type oddity struct {
	made pattern
	// wanted is the number of frames of the video, by default as many as the file has; from is the first frame that
	// counts.
	wanted, from int
	loop         bool
	again        bool // whether the images appear twice
	short        bool // whether the file has fewer frames than it declares
	heard        bool
	loose        bool // too small to measure or count by the square
	colour       colour
	// tolerance of colours, in steps of 255; slack of the frame number.
	tolerance float64
	slack     int
	dimmed    float64
}

// cutWithin starts the file at its eleventh frame by an edit list: the group of pictures begins before.
func cutWithin(t testing.TB, path string) string {
	out := filepath.Join(t.TempDir(), "cut.mp4")
	ffmpeg(t, "-v", "error", "-ss", "0.3333", "-i", path, "-c", "copy", out)
	return out
}

// cutOff truncates a file whose index comes first to six tenths.
func cutOff(t testing.TB, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, b[:len(b)*6/10])
}

// manyStreams adds another video stream, larger and marked as default, and another audio stream.
func manyStreams(t testing.TB, path string) string {
	out := filepath.Join(t.TempDir(), "many.mp4")
	ffmpeg(t, "-v", "error", "-i", path, "-f", "lavfi", "-i", "color=c=white:s=1280x720:r=30:d=1", "-f", "lavfi", "-i", "sine=f=900:d=1",
		"-map", "0:a", "-map", "0:v", "-map", "2:a", "-map", "1:v", "-c:v:0", "copy", "-c:v:1", "libx264", "-preset:v:1", "ultrafast",
		"-c:a", "aac", "-disposition:v:1", "default", out)
	return out
}

// changeSize continues with the same images in another size and shape.
func changeSize(t testing.TB, path string) string {
	dir := t.TempDir()
	other, list, out := filepath.Join(dir, "other.webm"), filepath.Join(dir, "list"), filepath.Join(dir, "both.webm")
	ffmpeg(t, "-v", "error", "-i", path, "-vf", "scale=540:-2,crop=540:640", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-crf", "20", "-b:v", "0", other)
	if err := os.WriteFile(list, []byte("file "+path+"\nfile "+other+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ffmpeg(t, "-v", "error", "-f", "concat", "-safe", "0", "-i", list, "-c", "copy", out)
	return out
}

// startLate starts the video of a file half a second after its sound.
func startLate(t testing.TB, path string) string {
	out := filepath.Join(t.TempDir(), "late.mp4")
	ffmpeg(t, "-v", "error", "-itsoffset", "0.5", "-i", path, "-i", path, "-map", "0:v", "-map", "1:a", "-c", "copy", out)
	return out
}

// cover0 adds a cover image before the video stream, as music files have.
func cover0(t testing.TB, path string) string {
	dir := t.TempDir()
	out, jpeg := filepath.Join(dir, "covered.mp4"), filepath.Join(dir, "cover.jpg")
	ffmpeg(t, "-v", "error", "-f", "lavfi", "-i", "color=c=white:s=640x640", "-frames:v", "1", jpeg)
	ffmpeg(t, "-v", "error", "-i", jpeg, "-i", path, "-map", "0:v", "-map", "1:v", "-c", "copy", "-disposition:v:0", "attached_pic", "-disposition:v:1", "default", out)
	return out
}

func contentType(p pattern) string {
	return map[string]string{"mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm"}[p.file]
}

// convert returns the expected colour in the video for a colour of the pattern.
func (o oddity) convert(c rgb) rgb {
	if o.colour.needsTable() {
		for i := range c {
			c[i] /= 255
		}
		c = o.colour.translate(c)
		for i := range c {
			c[i] *= 255
		}
	}
	if o.dimmed > 0 {
		for i := range c {
			c[i] *= o.dimmed
		}
	}
	return c
}

// TestFootage_Corpus renders every file and checks every frame of the video.
func TestFootage_Corpus(t *testing.T) {
	needFFmpeg(t)
	for name, o := range corpus() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clip := o.made.make(t)
			given := int(math.Round(float64(o.made.pictures-o.from) * 30 / o.made.fps()))
			if o.again {
				o.made.pictures, given = 2*o.made.pictures, 2*given
			}
			wanted := o.wanted
			if wanted == 0 {
				wanted = given
			}
			tl := &timeline.Timeline{
				Version: timeline.Version, Canvas: timeline.Canvas{Width: 270, Height: 480}, FPS: 30,
				Clips: []timeline.Clip{{
					Footage: &timeline.Footage{Input: "clip", ContentType: contentType(o.made), Frames: given, Loop: o.loop, Focus: &timeline.Centre, Sound: o.heard},
					Frames:  wanted,
				}},
			}
			out := filepath.Join(t.TempDir(), "film.mp4")
			r, err := Film(t.Context(), tl, map[string]string{"clip": clip}, out, Options{Threads: 2, CRF: 12, EveryFrame: false})
			if err != nil {
				t.Fatal(err)
			}
			if steady := steadyFrames(t, out); steady != wanted || r.Probe.Frames != wanted {
				t.Errorf("got %d frames at a constant interval of %d, want %d", steady, r.Probe.Frames, wanted)
			}
			o.watch(t, decode(t, out, 270, 480), given, wanted)
			if l := loudness(t, out); o.heard != (l > -25) {
				t.Errorf("got a loudness of %.1f LUFS, audible sound: %t", l, o.heard)
			}
		})
	}
}

// watch checks all frames: each upright, in the right colours, undistorted, and on time.
func (o oddity) watch(t *testing.T, film []picture, given, wanted int) {
	t.Helper()
	if len(film) != wanted {
		t.Fatalf("got %d frames, want %d", len(film), wanted)
	}
	tolerance := o.tolerance
	if tolerance == 0 {
		tolerance = 16
	}
	changes := 0
	for n, f := range film {
		if err := f.check(o.convert, tolerance); err != nil {
			t.Fatalf("frame %d: got %v", n, err)
		}
		if w, h := f.square(); !o.loose && (float64(w) < 0.9*float64(h) || float64(h) < 0.9*float64(w)) {
			t.Fatalf("frame %d: the square is %d by %d", n, w, h)
		}
		if n > 0 && f.count(o.convert) != film[n-1].count(o.convert) {
			changes++
		}
		at := min(n, given-1)
		if o.loop {
			at = n % given
		}
		if o.short || o.loose { // the number of remaining frames is unknown
			continue
		}
		per := o.made.fps() / 30
		want := o.from + min(int(math.Round(float64(at)*per)), o.made.pictures-o.from-1)
		slack := 1 + o.slack
		if per == 1 {
			slack = o.slack
		}
		got := f.count(o.convert)
		if apart := (got - want%levels + levels) % levels; min(apart, levels-apart) > slack {
			t.Fatalf("frame %d shows image %d of %d, want %d", n, got, levels, want%levels)
		}
	}
	moving := min(given, wanted)
	if o.loop {
		moving = wanted
	}
	least := float64(moving-1) * min(1, o.made.fps()/30) * 0.9
	switch {
	case o.short, o.loose:
		least *= 0.4
	case o.slack > 0:
		least *= 0.4
	}
	if o.made.fps() < 100 && float64(changes) < math.Floor(least) { // at 120 a second only two levels are visible
		t.Errorf("the image changes %d times in %d frames", changes, wanted)
	}
}

// steadyFrames counts the frames of a video that follow the previous frame at a constant interval, the first one
// included.
func steadyFrames(t testing.TB, film string) int {
	t.Helper()
	b, err := exec.Command("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts,duration", "-of", "json", film).Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Packets []struct {
			PTS      int64 `json:"pts"`
			Duration int64 `json:"duration"`
		} `json:"packets"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, p := range doc.Packets {
		if p.PTS == int64(i)*doc.Packets[0].Duration && p.Duration == doc.Packets[0].Duration {
			n++
		}
	}
	return n
}

// loudness measures the sound of a video.
func loudness(t testing.TB, film string) float64 {
	t.Helper()
	b, err := exec.Command("ffmpeg", "-hide_banner", "-nostats", "-i", film, "-map", "0:a", "-af", "volumedetect", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	_, rest, ok := strings.Cut(string(b), "mean_volume: ")
	if !ok {
		return math.Inf(-1)
	}
	v, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		return math.Inf(-1)
	}
	return v
}
