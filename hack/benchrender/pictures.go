// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	width, height = 1080, 1920
	slides        = 8
	slideFrames   = 90
	fps           = 30

	captions      = 3 // one after the other on a slide
	captionFrames = slideFrames / captions
)

// textBox is the area of a slide's text, the same on every slide.
var textBox = image.Rect(140, 620, 940, 980)

// captionBox is the area of a caption.
var captionBox = image.Rect(140, 1300, 940, 1420)

// drawInputs writes the images photo-N.jpg, text-N.png and caption-N-K.png, another version of a text and a caption for
// edits, and music.wav. The files are the same in every run.
func drawInputs(dir string) error {
	for n := range slides {
		photo := filepath.Join(dir, photoFile(n))
		if err := create(photo, func(w *bufio.Writer) error {
			return jpeg.Encode(w, drawPhoto(n), &jpeg.Options{Quality: 92})
		}); err != nil {
			return err
		}
		text := filepath.Join(dir, still.layerFile(n))
		if err := create(text, func(w *bufio.Writer) error { return png.Encode(w, drawText(n)) }); err != nil {
			return err
		}
		for k := range captions {
			caption := filepath.Join(dir, captionFile(n, k))
			if err := create(caption, func(w *bufio.Writer) error { return png.Encode(w, drawCaption(10*n+k)) }); err != nil {
				return err
			}
		}
	}
	if err := create(filepath.Join(dir, "text-edited.png"), func(w *bufio.Writer) error { return png.Encode(w, drawText(99)) }); err != nil {
		return err
	}
	if err := create(filepath.Join(dir, "caption-edited.png"), func(w *bufio.Writer) error { return png.Encode(w, drawCaption(99)) }); err != nil {
		return err
	}
	return composeMusic(dir)
}

// composeMusic creates the music and measures its loudness, so that the single ffmpeg command does not have to.
func composeMusic(dir string) error {
	path := filepath.Join(dir, "music.wav")
	chord := "aevalsrc='0.2*sin(2*PI*220*t)+0.15*sin(2*PI*277.2*t)+0.12*sin(2*PI*329.6*t)*(1+sin(2*PI*2*t))|0.2*sin(2*PI*220*t)+0.15*sin(2*PI*329.6*t)':s=48000:d=30"
	if out, err := exec.Command("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", chord, path).CombinedOutput(); err != nil {
		return fmt.Errorf("creating music: %w: %s", err, out)
	}
	out, err := exec.Command("ffmpeg", "-hide_banner", "-nostats", "-i", path, "-t", fmt.Sprint(slides*slideFrames/fps),
		"-af", "loudnorm=I=-14:TP=-1:print_format=json", "-f", "null", "-").CombinedOutput()
	if err != nil {
		return fmt.Errorf("measuring music: %w: %s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), `"input_i" : "`)
	value, _, _ := strings.Cut(rest, `"`)
	if loudness, err = strconv.ParseFloat(value, 64); err != nil {
		return fmt.Errorf("measuring music: %w", err)
	}
	return nil
}

// loudness is the measured loudness of the music, in LUFS.
var loudness float64

func create(path string, write func(*bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// drawPhoto draws hills under a sky with details like those of a photo: noise on all scales, down to single pixels.
func drawPhoto(seed int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	s := float64(seed)
	for y := range height {
		for x := range width {
			fx, fy := float64(x)/width, float64(y)/height
			rough := noise(float64(x)/180, float64(y)/180, seed)*0.5 + noise(float64(x)/45, float64(y)/45, seed+9)*0.3 +
				noise(float64(x)/9, float64(y)/9, seed+17)*0.14 + noise(float64(x)/2.3, float64(y)/2.3, seed+23)*0.06
			hill := 0.55 + 0.12*math.Sin(fx*5+s) + 0.05*math.Sin(fx*17+2*s)
			r, g, b := 0.95-0.5*fy+0.1*rough, 0.7-0.2*fy+0.12*rough, 0.55+0.4*fy+0.1*rough
			if fy > hill {
				d := (fy - hill) * 2
				r, g, b = 0.18+0.35*rough-0.1*d, 0.3+0.5*rough-0.1*d, 0.16+0.25*rough
			}
			grain := (float64(hash(x, y, seed+77)&255)/255 - 0.5) * 0.025
			img.SetRGBA(x, y, color.RGBA{level(r + grain), level(g + grain), level(b + grain), 255})
		}
	}
	return img
}

// drawText draws a plate with strokes of the size of letters.
func drawText(seed int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := textBox.Min.Y; y < textBox.Max.Y; y++ {
		for x := textBox.Min.X; x < textBox.Max.X; x++ {
			img.SetNRGBA(x, y, color.NRGBA{10, 12, 20, 130})
		}
	}
	for line := range 3 {
		for letter := range 12 {
			h := hash(letter, line, seed)
			x0, y0 := textBox.Min.X+60+letter*57, textBox.Min.Y+50+line*95
			for y := range 64 {
				for x := range 42 {
					stroke := (h>>(x/14+3*(y/16)))&1 == 1 || x < 8
					if stroke && (x+y)%61 != 0 {
						img.SetNRGBA(x0+x, y0+y, color.NRGBA{255, 255, 250, 255})
					}
				}
			}
		}
	}
	return img
}

// drawCaption draws a line of strokes without a plate, of the size of captionBox.
func drawCaption(seed int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, captionBox.Dx(), captionBox.Dy()))
	for letter := range 14 {
		h := hash(letter, 3, seed+1000)
		for y := range 80 {
			for x := range 40 {
				if (h>>(x/14+3*(y/20)))&1 == 1 || x < 8 {
					img.SetNRGBA(20+letter*54+x, 20+y, color.NRGBA{255, 230, 40, 255})
				}
			}
		}
	}
	return img
}

func level(v float64) uint8 { return uint8(min(max(v*255+0.5, 0), 255)) }

// noise returns smooth value noise between 0 and 1.
func noise(x, y float64, seed int) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	u, v := x-x0, y-y0
	u, v = u*u*(3-2*u), v*v*(3-2*v)
	at := func(dx, dy int) float64 { return float64(hash(int(x0)+dx, int(y0)+dy, seed)&0xffff) / 0xffff }
	return (at(0, 0)*(1-u)+at(1, 0)*u)*(1-v) + (at(0, 1)*(1-u)+at(1, 1)*u)*v
}

func hash(x, y, seed int) uint32 {
	h := uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77 ^ uint32(seed)*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	return h ^ h>>15
}
