// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

type options struct {
	pairs       int
	what        string
	preset, crf string
	keep        string
	peerSlides  int
}

func main() {
	o := options{}
	flag.StringVar(&o.what, "mode", "all", "still, fade, zoom, edit, peers or all; all does not include peers")
	flag.IntVar(&o.pairs, "pairs", 5, "number of runs of each side")
	flag.StringVar(&o.preset, "ffmpeg-preset", "", "x264 preset of the single ffmpeg command; default: the best one for the mode")
	flag.StringVar(&o.crf, "ffmpeg-crf", "", "constant rate factor of the single ffmpeg command; default: the best one for the mode")
	flag.StringVar(&o.keep, "keep", "", "folder for the videos of the last pair")
	flag.IntVar(&o.peerSlides, "peer-slides", slides, "number of slides to render in the comparison with other programs")
	flag.Parse()
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
	fmt.Println("drawing the images ...")
	if err := drawInputs(dir); err != nil {
		return err
	}
	b := &rounds{options: o, dir: dir, renderer: binary}
	known := false
	for _, m := range []mode{still, fade, zoom} {
		if o.what == string(m) || o.what == "all" {
			known = true
			if err := b.mode(m); err != nil {
				return err
			}
		}
	}
	if o.what == "edit" || o.what == "all" {
		known = true
		if err := b.edits(); err != nil {
			return err
		}
	}
	if o.what == "peers" {
		known = true
		if err := b.peers(); err != nil {
			return err
		}
	}
	if !known {
		return errors.New("unknown mode")
	}
	return nil
}

// rounds runs two sides in alternation.
type rounds struct {
	options
	dir, renderer string
}

// side is one of the two sides of a comparison.
type side struct {
	name string
	run  func() (usage, error)
	film string
	all  []usage
}

// turns runs two sides in alternation and prints every run, then the ratios of b to a.
func (r *rounds) turns(a, b *side) error {
	fmt.Printf("%-5s %-9s %8s %8s %9s %9s %7s\n", "pair", "side", "wall s", "cpu s", "peak MB", "film kB", "load")
	for n := range r.pairs {
		for _, s := range []*side{a, b} {
			busy := load()
			u, err := s.run()
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			s.all = append(s.all, u)
			fmt.Printf("%-5d %-9s %8.2f %8.2f %9.0f %9.0f %7s\n", n+1, s.name, u.wallSeconds(), u.cpuSeconds(), u.peakMB(), u.filmKB(), busy)
		}
	}
	fmt.Println()
	for _, f := range []struct {
		name string
		of   func(usage) float64
	}{{"wall", usage.wallSeconds}, {"cpu", usage.cpuSeconds}, {"peak memory", usage.peakMB}, {"file size", usage.filmKB}} {
		var ratios []string
		var all, x, y []float64
		for i := range a.all {
			q := f.of(b.all[i]) / f.of(a.all[i])
			all, x, y = append(all, q), append(x, f.of(a.all[i])), append(y, f.of(b.all[i]))
			ratios = append(ratios, fmt.Sprintf("%.2f", q))
		}
		fmt.Printf("%-12s median: %s %.2f, %s %.2f; %s/%s by pair: %s; median ratio %.2f\n",
			f.name, a.name, median(x), b.name, median(y), b.name, a.name, strings.Join(ratios, " "), median(all))
	}
	return nil
}

const filmSeconds = float64(slides*slideFrames) / fps

// mode compares the renderer with the best single ffmpeg command.
func (r *rounds) mode(m mode) error {
	preset, crf := r.preset, r.crf
	if preset == "" {
		preset = best[m].preset
	}
	if crf == "" {
		crf = best[m].crf
	}
	fmt.Printf("\n%s: %d slides of %d frames, %dx%d, %d fps; ffmpeg: preset %s, crf %s\n\n", m, slides, slideFrames, width, height, fps, preset, crf)
	rig := newRig(r.dir)
	defer rig.server.Close()
	ours := &side{name: "reelops", film: filepath.Join(r.dir, "reelops.mp4")}
	ours.run = func() (usage, error) {
		rig.prepare(film(m), ours.film)
		return r.render(rig)
	}
	theirs := &side{name: "ffmpeg", film: filepath.Join(r.dir, "ffmpeg.mp4")}
	theirs.run = func() (usage, error) {
		return measure(exec.Command("ffmpeg", ffmpegArgs(m, r.dir, preset, crf, theirs.film)...), theirs.film)
	}
	if err := r.turns(ours, theirs); err != nil {
		return err
	}
	realTime(ours)
	if err := r.compare(m, ours, theirs); err != nil {
		return err
	}
	return r.keepFilms(m, ours, theirs)
}

// render runs the renderer with the order of a rig.
func (r *rounds) render(rig *rig) (usage, error) {
	scratch, err := os.MkdirTemp(r.dir, "scratch-")
	if err != nil {
		return usage{}, err
	}
	return measure(rig.command(r.renderer, scratch), rig.out)
}

// realTime prints how many times faster than real time a film is rendered: as measured, and as computed for two fully
// used processors.
func realTime(s *side) {
	var wall, cpu []float64
	for _, u := range s.all {
		wall, cpu = append(wall, filmSeconds/u.wallSeconds()), append(cpu, filmSeconds/(u.cpuSeconds()/2))
	}
	fmt.Printf("%-12s %s: %.1f times faster than real time; %.1f by CPU time on two CPUs\n", "real time", s.name, median(wall), median(cpu))
}

// compare prints the similarity of each film to the reference.
func (r *rounds) compare(m mode, ours, theirs *side) error {
	ideal := filepath.Join(r.dir, "reference.gray")
	if err := reference(m, r.dir, ideal); err != nil {
		return err
	}
	var means []float64
	for _, s := range []*side{ours, theirs} {
		mean, worst, err := ssim(s.film, ideal)
		if err != nil {
			return err
		}
		means = append(means, mean)
		fmt.Printf("%-12s %-8s mean %.5f, worst %.5f\n", "ssim", s.name, mean, worst)
	}
	if means[1] > means[0] {
		fmt.Println("             not a fair pair: ffmpeg's video has the higher quality; set a higher -ffmpeg-crf")
	}
	return nil
}

func (r *rounds) keepFilms(m mode, sides ...*side) error {
	if r.keep == "" {
		return nil
	}
	for _, s := range sides {
		to := filepath.Join(r.keep, string(m)+"-"+filepath.Base(s.film))
		if err := exec.Command("cp", s.film, to).Run(); err != nil {
			return err
		}
	}
	return nil
}

// load returns the load average of the last minute.
func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}
