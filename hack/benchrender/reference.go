// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// sampledAt are the frames of each slide that are compared. None of them is in a cross-fade.
var sampledAt = []int{12, 30, 48, 66, 78}

// reference writes the luma of the expected frames: the photo, sampled in floating point with the Catmull-Rom kernel,
// and the text over it. It shares no code and settings with either side.
func reference(m mode, dir, out string) error {
	t := film(m)
	shots := t.Shots()
	return create(out, func(w *bufio.Writer) error {
		for n := range slides {
			photo, text, err := brightness(dir, n, m)
			if err != nil {
				return err
			}
			for _, at := range sampledAt {
				scale := m.scaleAt(n, shots[n*slideFrames+at].A.Progress)
				if _, err := w.Write(ideal(photo, text[min(at/captionFrames, len(text)-1)], scale)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// scaleAt returns the scale of a slide's background at a progress of 0 to 1.
func (m mode) scaleAt(slide int, progress float64) float64 {
	from, to := m.scales(slide)
	return from * math.Pow(to/from, (1-math.Cos(math.Pi*progress))/2)
}

// ink is a text layer: the luma and the coverage of each pixel.
type ink struct{ y, a []float64 }

// brightness reads the images of a slide as BT.709 luma, 16 to 235: the photo, and the text with each caption.
func brightness(dir string, n int, m mode) (photo []float64, text []ink, err error) {
	p, err := read(dir, photoFile(n))
	if err != nil {
		return nil, nil, err
	}
	t, err := read(dir, m.layerFile(n))
	if err != nil || !m.captioned {
		return p.y, []ink{t}, err
	}
	for k := range captions {
		c, err := read(dir, captionFile(n, k))
		if err != nil {
			return nil, nil, err
		}
		both := ink{slices.Clone(t.y), slices.Clone(t.a)}
		for y := range captionBox.Dy() {
			for x := range captionBox.Dx() {
				if i := y*captionBox.Dx() + x; c.a[i] > 0 { // captions are beside the text and have no half-covered pixels
					at := (captionBox.Min.Y+y)*width + captionBox.Min.X + x
					both.y[at], both.a[at] = c.y[i], c.a[i]
				}
			}
		}
		text = append(text, both)
	}
	return p.y, text, nil
}

func read(dir, name string) (k ink, err error) {
	img, err := decode(dir, name)
	if err != nil {
		return k, err
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			k.y = append(k.y, 16+219.0/255*(0.2126*float64(c.R)+0.7152*float64(c.G)+0.0722*float64(c.B)))
			k.a = append(k.a, float64(c.A)/255)
		}
	}
	return k, nil
}

// decode reads an image file.
func decode(dir, name string) (image.Image, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(bufio.NewReader(f))
	return img, err
}

// ideal returns one frame at a scale around the center.
func ideal(photo []float64, text ink, scale float64) []byte {
	out := make([]byte, width*height)
	var wg sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for p := range parts {
		wg.Go(func() {
			for y := height * p / parts; y < height*(p+1)/parts; y++ {
				sy := (float64(y)+0.5-height/2.0)/scale + height/2.0 - 0.5
				for x := range width {
					sx := (float64(x)+0.5-width/2.0)/scale + width/2.0 - 0.5
					v := cubic(photo, sx, sy)
					i := y*width + x
					v = v*(1-text.a[i]) + text.y[i]*text.a[i]
					out[i] = byte(math.Round(min(max(v, 0), 255)))
				}
			}
		})
	}
	wg.Wait()
	return out
}

func cubic(photo []float64, x, y float64) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	wx, wy := weights(x-x0), weights(y-y0)
	sum := 0.0
	for j := range 4 {
		row := min(max(int(y0)-1+j, 0), height-1) * width
		line := 0.0
		for i := range 4 {
			line += wx[i] * photo[row+min(max(int(x0)-1+i, 0), width-1)]
		}
		sum += wy[j] * line
	}
	return sum
}

func weights(f float64) [4]float64 {
	return [4]float64{
		((-0.5*f+1)*f - 0.5) * f, (1.5*f-2.5)*f*f + 1, ((-1.5*f+2)*f + 0.5) * f, (0.5*f - 0.5) * f * f,
	}
}

// ssim returns the similarity of the luma of a film's sampled frames to the reference.
func ssim(film, reference string) (q quality, err error) {
	var frames []string
	for n := range slides {
		for _, at := range sampledAt {
			frames = append(frames, fmt.Sprintf("eq(n,%d)", n*slideFrames+at))
		}
	}
	out, err := exec.Command("ffmpeg", "-hide_banner", "-loglevel", "error", "-i", film,
		"-f", "rawvideo", "-pixel_format", "gray", "-video_size", fmt.Sprintf("%dx%d", width, height), "-i", reference,
		"-lavfi", "[0:v]select='"+strings.Join(frames, "+")+"',setpts=N/25/TB,settb=1/25,extractplanes=y[a];[1:v]setpts=N/25/TB,settb=1/25[b];[a][b]ssim=stats_file=-",
		"-f", "null", "-").CombinedOutput()
	if err != nil {
		return q, fmt.Errorf("comparing: %w: %s", err, out)
	}
	sum, n := 0.0, 0
	q.worst = math.Inf(1)
	for line := range strings.SplitSeq(string(out), "\n") {
		_, rest, ok := strings.Cut(line, "All:")
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		if err != nil {
			return q, err
		}
		q.worst, sum, n = min(q.worst, v), sum+v, n+1
	}
	if n < len(frames) {
		return q, fmt.Errorf("only %d of %d frames could be compared", n, len(frames))
	}
	q.mean = sum / float64(n)
	return q, nil
}
