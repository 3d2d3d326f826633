// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
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
	flag.StringVar(&o.what, "mode", "all", "still, fade, zoom, styles, a style, edit, peers or all; all does not include peers")
	flag.IntVar(&o.pairs, "pairs", 5, "number of runs of each side")
	flag.StringVar(&o.preset, "ffmpeg-preset", "superfast", "x264 preset of the single ffmpeg command")
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
		if o.what == m.name || o.what == "all" {
			known = true
			if _, err := b.mode(m); err != nil {
				return err
			}
		}
	}
	var styles []row
	for _, m := range styled() {
		if o.what != m.name && o.what != "styles" && o.what != "all" {
			continue
		}
		known = true
		if err := drawStyle(dir, m); err != nil {
			return err
		}
		one, err := b.mode(m)
		if err != nil {
			return err
		}
		styles = append(styles, one)
	}
	table(styles)
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
	// similar is the similarity of its film to the reference, and jitter the shimmer of a zoom in pixels.
	similar, jitter quality
}

// quality is a measure over frames.
type quality struct{ mean, worst float64 }

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
func (r *rounds) mode(m mode) (row, error) {
	if r.crf != "" {
		m.crf = r.crf
	}
	boxes := make([]image.Rectangle, slides)
	for n := range boxes {
		layer, err := decode(r.dir, m.layerFile(n))
		if err != nil {
			return row{}, err
		}
		boxes[n] = inked(layer)
	}
	fmt.Printf("\n%s: %d slides of %d frames, %dx%d, %d fps; ffmpeg: preset %s, crf %s\n\n", m.name, slides, slideFrames, width, height, fps, r.preset, m.crf)
	rig := newRig(r.dir)
	defer rig.server.Close()
	ours := &side{name: "reelops", film: filepath.Join(r.dir, "reelops.mp4")}
	ours.run = func() (usage, error) {
		rig.prepare(film(m), ours.film)
		return r.render(rig)
	}
	theirs := &side{name: "ffmpeg", film: filepath.Join(r.dir, "ffmpeg.mp4")}
	theirs.run = func() (usage, error) {
		return measure(exec.Command("ffmpeg", ffmpegArgs(m, boxes, r.dir, r.preset, m.crf, theirs.film)...), theirs.film)
	}
	if err := r.turns(ours, theirs); err != nil {
		return row{}, err
	}
	realTime(ours)
	if err := r.compare(m, ours, theirs); err != nil {
		return row{}, err
	}
	return row{m, ours, theirs}, r.keepFilms(m, ours, theirs)
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

// compare measures the quality of each film and prints it.
func (r *rounds) compare(m mode, ours, theirs *side) error {
	ideal := filepath.Join(r.dir, "reference.gray")
	if err := reference(m, r.dir, ideal); err != nil {
		return err
	}
	for _, s := range []*side{ours, theirs} {
		var err error
		if s.similar, err = ssim(s.film, ideal); err != nil {
			return err
		}
		fmt.Printf("%-12s %-9s mean %.5f, worst %.5f\n", "ssim", s.name, s.similar.mean, s.similar.worst)
	}
	if theirs.similar.mean < ours.similar.mean {
		fmt.Println("             not a fair pair: ffmpeg's video has the lower quality; set a lower -ffmpeg-crf")
	}
	if m.zoom == 1 {
		return nil
	}
	exact, err := r.jitterOf(m, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%-12s %-9s mean %.4f, worst %.4f pixels\n", "shimmer", "reference", exact.mean, exact.worst)
	for _, s := range []*side{ours, theirs} {
		if s.jitter, err = r.jitterOf(m, s); err != nil {
			return err
		}
		fmt.Printf("%-12s %-9s mean %.4f, worst %.4f pixels\n", "shimmer", s.name, s.jitter.mean, s.jitter.worst)
	}
	return nil
}

func (r *rounds) keepFilms(m mode, sides ...*side) error {
	if r.keep == "" {
		return nil
	}
	for _, s := range sides {
		to := filepath.Join(r.keep, m.name+"-"+filepath.Base(s.film))
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

// row is the result of one mode.
type row struct {
	mode
	ours, theirs *side
}

// table prints the results of the design styles.
func table(rows []row) {
	if len(rows) < 2 {
		return
	}
	fmt.Printf("\n%-16s %8s %8s %8s %9s %9s %9s %19s %19s %17s\n", "style", "wall s", "ffmpeg s", "ratio", "playback", "peak MB", "size", "ssim mean (ffmpeg)", "ssim worst", "shimmer")
	for _, r := range rows {
		of := func(s *side, f func(usage) float64) float64 {
			var all []float64
			for _, u := range s.all {
				all = append(all, f(u))
			}
			return median(all)
		}
		var ratios []float64
		for i := range r.ours.all {
			ratios = append(ratios, r.theirs.all[i].wallSeconds()/r.ours.all[i].wallSeconds())
		}
		wall := of(r.ours, usage.wallSeconds)
		fmt.Printf("%-16s %8.2f %8.2f %7.1fx %8.1fx %9.0f %8.0f%% %9.4f (%.4f) %9.4f (%.4f) %8.3f (%.3f)\n", r.name, wall, of(r.theirs, usage.wallSeconds),
			median(ratios), filmSeconds/wall, of(r.ours, usage.peakMB), 100*of(r.ours, usage.filmKB)/of(r.theirs, usage.filmKB),
			r.ours.similar.mean, r.theirs.similar.mean, r.ours.similar.worst, r.theirs.similar.worst, r.ours.jitter.mean, r.theirs.jitter.mean)
	}
}
