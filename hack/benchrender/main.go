// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/render"
)

type options struct {
	pairs       int
	modes       []mode
	preset, crf string
	keep        string
}

func main() {
	o := options{}
	modes := flag.String("mode", "all", "still, zoom or all")
	flag.IntVar(&o.pairs, "pairs", 5, "how often each side runs")
	flag.StringVar(&o.preset, "ffmpeg-preset", string(render.DefaultPreset), "x264 preset of the single ffmpeg command")
	flag.StringVar(&o.crf, "ffmpeg-crf", fmt.Sprint(render.DefaultCRF), "constant quality of the single ffmpeg command")
	flag.StringVar(&o.keep, "keep", "", "folder for the films of the last pair")
	flag.Parse()
	switch mode(*modes) {
	case still, zoom:
		o.modes = []mode{mode(*modes)}
	default:
		o.modes = []mode{still, zoom}
	}
	if err := bench(o); err != nil {
		fmt.Fprintln(os.Stderr, "benchrender:", err)
		os.Exit(1)
	}
}

func bench(o options) error {
	dir, err := os.MkdirTemp("", "benchrender-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "renderer")
	build := exec.Command("go", "build", "-o", binary, "github.com/reelops/reelops/cmd/renderer")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the renderer: %w\n%s", err, out)
	}
	fmt.Println("drawing the pictures ...")
	if err := drawInputs(dir); err != nil {
		return err
	}
	for _, m := range o.modes {
		if err := benchMode(o, m, dir, binary); err != nil {
			return err
		}
	}
	return nil
}

func benchMode(o options, m mode, dir, binary string) error {
	fmt.Printf("\n%s: %d slides of %d frames, %dx%d, %d fps; ffmpeg: preset %s, crf %s\n\n", m, slides, slideFrames, width, height, fps, o.preset, o.crf)
	ours, theirs := filepath.Join(dir, "reelops.mp4"), filepath.Join(dir, "ffmpeg.mp4")
	r := newRig(dir)
	defer r.server.Close()
	var a, b []usage
	fmt.Printf("%-5s %-9s %8s %8s %9s %9s\n", "pair", "side", "wall s", "cpu s", "peak MB", "film kB")
	for n := range o.pairs {
		scratch, err := os.MkdirTemp(dir, "scratch-")
		if err != nil {
			return err
		}
		r.prepare(m, ours)
		u, err := measure(r.command(binary, scratch), ours)
		if err != nil {
			return fmt.Errorf("the renderer: %w", err)
		}
		a = append(a, u)
		u.print(n+1, "reelops")
		if u, err = measure(exec.Command("ffmpeg", ffmpegArgs(m, dir, o.preset, o.crf, theirs)...), theirs); err != nil {
			return fmt.Errorf("ffmpeg: %w", err)
		}
		b = append(b, u)
		u.print(n+1, "ffmpeg")
	}
	fmt.Println()
	for _, f := range []struct {
		name string
		of   func(usage) float64
	}{{"wall", usage.wallSeconds}, {"cpu", usage.cpuSeconds}, {"peak memory", usage.peakMB}, {"film size", usage.filmKB}} {
		var ratios []string
		var all, x, y []float64
		for i := range a {
			q := f.of(b[i]) / f.of(a[i])
			all, x, y = append(all, q), append(x, f.of(a[i])), append(y, f.of(b[i]))
			ratios = append(ratios, fmt.Sprintf("%.2f", q))
		}
		fmt.Printf("%-12s median: reelops %.2f, ffmpeg %.2f; ffmpeg/reelops by pair: %s; median ratio %.2f\n",
			f.name, median(x), median(y), strings.Join(ratios, " "), median(all))
	}
	if err := compare(m, dir, ours, theirs); err != nil {
		return err
	}
	if o.keep != "" {
		for _, f := range []string{ours, theirs} {
			to := filepath.Join(o.keep, string(m)+"-"+filepath.Base(f))
			if err := exec.Command("cp", f, to).Run(); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare tells how near each film is to what it ought to show.
func compare(m mode, dir, ours, theirs string) error {
	ideal := filepath.Join(dir, "reference.gray")
	if err := reference(m, dir, ideal); err != nil {
		return err
	}
	if err := printSSIM("reelops", ours, ideal); err != nil {
		return err
	}
	return printSSIM("ffmpeg", theirs, ideal)
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}
