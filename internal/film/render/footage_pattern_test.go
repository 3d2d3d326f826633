// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A pattern has four quarters of different colours and a square in the middle whose brightness counts the frames. Any
// part that contains the middle shows the orientation, the distortion and the number of the frame.
var quarters = [4]rgb{{200, 20, 20}, {20, 160, 20}, {30, 30, 200}, {210, 200, 20}} // top left, top right, bottom left, bottom right

const (
	levels    = 8
	levelStep = 20.0
)

// level returns the brightness of the square in frame n.
func level(n int) rgb {
	v := levelStep * float64(1+n%levels)
	return rgb{v, v, v}
}

// pattern describes a file that is generated for a test.
type pattern struct {
	// w and h are the displayed size, before pixels are squeezed.
	w, h int
	// squeeze is the pixel aspect ratio as num:den; empty means square.
	squeeze string
	// turn is the rotation in the metadata, clockwise: 0, 90, 180, 270, or mirrored.
	turn int
	rate string
	// pictures is the number of frames in the file.
	pictures int
	// last are filters after the pattern.
	last string
	// matrix, pixels and tags are the colour encoding; empty means BT.709 as 4:2:0 of 8 bits.
	matrix, pixels string
	// before are options before the sources, sound is the source of sound, codec are the options of the encoder.
	before, codec []string
	sound         string
	file          string // its extension
	// after changes the finished file.
	after func(t testing.TB, path string) string
}

const mirrored = -1

// frames per second as a number.
func (p pattern) fps() float64 {
	n, d, _ := strings.Cut(p.rate, "/")
	num, _ := strconv.ParseFloat(n, 64)
	den := 1.0
	if d != "" {
		den, _ = strconv.ParseFloat(d, 64)
	}
	return num / den
}

// make writes the file.
func (p pattern) make(t testing.TB) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "clip."+p.file)
	side := min(p.w, p.h) * 3 / 10
	seconds := strconv.FormatFloat(float64(p.pictures)/p.fps(), 'f', 6, 64)
	colours := func(c rgb) string { return fmt.Sprintf("0x%02x%02x%02x", int(c[0]), int(c[1]), int(c[2])) }
	box := func(x, y string, c rgb) string {
		return "drawbox=x=" + x + ":y=" + y + ":w=iw/2+1:h=ih/2+1:t=fill:c=" + colours(c)
	}
	graph := fmt.Sprintf("color=c=%s:s=%dx%d:r=%s:d=%s,format=gbrp,%s,%s,%s[ground];", colours(quarters[0]), p.w, p.h, p.rate, seconds,
		box("iw/2", "0", quarters[1]), box("0", "ih/2", quarters[2]), box("iw/2", "ih/2", quarters[3]))
	graph += fmt.Sprintf("color=c=black:s=8x8:r=%s:d=%s,format=gray,geq=lum='%g*(1+mod(N,%d))',format=gbrp,scale=%d:%d:flags=neighbor[square];",
		p.rate, seconds, levelStep, levels, side, side)
	graph += "[ground][square]overlay=x=(W-w)/2:y=(H-h)/2:format=gbrp:shortest=1"
	if p.squeeze != "" {
		n, d, _ := strings.Cut(p.squeeze, ":")
		graph += fmt.Sprintf(",scale=2*trunc(iw*%s/%s/2):ih,setsar=%s", d, n, strings.Replace(p.squeeze, ":", "/", 1))
	}
	switch p.turn { // the inverse of the rotation in the metadata
	case 90:
		graph += ",transpose=cclock"
	case 180:
		graph += ",hflip,vflip"
	case 270:
		graph += ",transpose=clock"
	case mirrored:
		graph += ",hflip"
	}
	matrix, pixels := p.matrix, p.pixels
	if pixels == "" {
		pixels = "yuv420p"
	}
	if matrix == "" {
		matrix = "bt709"
	}
	if !strings.HasPrefix(pixels, "gbr") && !strings.HasPrefix(pixels, "rgb") {
		size := "out_range=tv"
		if strings.HasPrefix(pixels, "yuvj") {
			size = "out_range=pc"
		}
		graph += ",scale=" + size + ":flags=accurate_rnd+full_chroma_int:out_color_matrix=" + matrix
	}
	graph += ",format=" + pixels
	if p.last != "" {
		graph += "," + p.last
	}
	args := append([]string{"-v", "error", "-y"}, p.before...)
	args = append(args, "-filter_complex", graph+"[v]")
	if p.sound != "" {
		args = append(args, "-filter_complex", p.sound+"[a]")
	}
	args = append(args, "-map", "[v]")
	if p.sound != "" {
		args = append(args, "-map", "[a]", "-t", strconv.FormatFloat(float64(p.pictures)/p.fps()+0.2, 'f', 3, 64))
	}
	args = append(args, "-threads", "2")
	args = append(args, p.codec...)
	ffmpeg(t, append(args, out)...)
	if p.turn != 0 {
		turnFile(t, out, p.turn)
	}
	if p.after != nil {
		out = p.after(t, out)
	}
	return out
}

func ffmpeg(t testing.TB, args ...string) {
	t.Helper()
	if b, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %q: %v\n%s", args, err, b)
	}
}

// turnFile writes the rotation into every track of an MP4 or QuickTime file.
func turnFile(t testing.TB, path string, turn int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const one = 1 << 16
	m := map[int][4]int32{90: {0, one, -one, 0}, 180: {-one, 0, 0, -one}, 270: {0, -one, one, 0}, mirrored: {-one, 0, 0, one}}[turn]
	found := false
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte("tkhd"))
		if i < 0 {
			break
		}
		at += i + 4
		matrix := b[at+40:] // version 0: four bytes of flags, six numbers of four bytes, reserved ones between them
		if b[at] != 0 {
			t.Fatal("a track header of another version")
		}
		for k, v := range []int32{m[0], m[1], 0, m[2], m[3], 0} {
			binary.BigEndian.PutUint32(matrix[4*k:], uint32(v))
		}
		found = true
	}
	if !found {
		t.Fatal("no track header")
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// picture is one decoded frame.
type picture struct {
	w, h int
	pix  []byte // red, green, blue
}

func (p picture) at(x, y float64) rgb {
	i := 3 * (int(y*float64(p.h))*p.w + int(x*float64(p.w)))
	return rgb{float64(p.pix[i]), float64(p.pix[i+1]), float64(p.pix[i+2])}
}

// decode returns all frames of a video as displayed.
func decode(t testing.TB, film string, w, h int) []picture {
	t.Helper()
	cmd := exec.Command("ffmpeg", "-v", "error", "-xerror", "-err_detect", "explode", "-i", film, "-map", "0:v", "-fps_mode", "passthrough",
		"-vf", "scale=in_color_matrix=bt709:in_range=tv:flags=accurate_rnd+full_chroma_int", "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
	var speechLike bytes.Buffer
	cmd.Stderr = &speechLike
	b, err := cmd.Output()
	if err != nil || speechLike.Len() > 0 {
		t.Fatalf("decoding the video: %v %s", err, speechLike.String())
	}
	var all []picture
	for r := bytes.NewReader(b); ; {
		p := picture{w, h, make([]byte, 3*w*h)}
		if _, err := io.ReadFull(r, p.pix); err != nil {
			return all
		}
		all = append(all, p)
	}
}

// far returns the difference of two colours.
func far(a, b rgb) float64 {
	return max(math.Abs(a[0]-b[0]), math.Abs(a[1]-b[1]), math.Abs(a[2]-b[2]))
}

// check returns an error for a wrong frame of a pattern. convert returns the expected colour for a colour of the
// pattern.
func (p picture) check(convert func(rgb) rgb, tolerance float64) error {
	for i, want := range quarters {
		x, y := 0.2+0.6*float64(i%2), 0.12+0.76*float64(i/2)
		if got := p.at(x, y); far(got, convert(want)) > tolerance {
			return fmt.Errorf("quarter %d is %v, want %v", i, got, convert(want))
		}
	}
	return nil
}

// square measures the sides of the square in the middle, in pixels.
func (p picture) square() (w, h int) {
	grey := func(x, y int) bool {
		i := 3 * (y*p.w + x)
		r, g, b := int(p.pix[i]), int(p.pix[i+1]), int(p.pix[i+2])
		return max(r, g, b)-min(r, g, b) < 40
	}
	// Next to the lines between the quarters, mixed colours may be grey.
	left, top := p.w/2-p.w/20, p.h/2-p.w/20
	for x := left; x >= 0 && grey(x, top); x-- {
		w++
	}
	for x := left + 1; x < p.w && grey(x, top); x++ {
		w++
	}
	for y := top; y >= 0 && grey(left, y); y-- {
		h++
	}
	for y := top + 1; y < p.h && grey(left, y); y++ {
		h++
	}
	return w, h
}

// count returns the frame number that a frame shows, modulo levels.
func (p picture) count(convert func(rgb) rgb) int {
	got, best := p.at(0.5, 0.5), 0
	for n := range levels {
		if far(got, convert(level(n))) < far(got, convert(level(best))) {
			best = n
		}
	}
	return best
}

// word is a plate of one colour.
func word(w, h int, c rgb) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255}), image.Point{}, draw.Src)
	return img
}
