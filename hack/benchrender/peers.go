// SPDX-License-Identifier: Apache-2.0

package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed remotion
var remotionFiles embed.FS

// peers compares the film of the first design style, the default one, with Remotion's, which draws every frame in a browser.
// Remotion has its fastest settings: the headless browser without graphics drivers, and the preset of x264 that the
// renderer uses. Its packages are installed into a folder of the benchmark, and its bundle is created before the
// measurement. Each of its runs starts a new browser, as each run of the renderer starts new encoders.
func (r *rounds) peers() error {
	m := styled()[0]
	if err := drawStyle(r.dir, m); err != nil {
		return err
	}
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		return errors.New("chromium-headless-shell is required: apt-get install chromium-headless-shell")
	}
	home := filepath.Join(r.dir, "peer")
	if err := r.install(m, home, browser); err != nil {
		return err
	}
	fmt.Printf("\n%s compared with Remotion: %d slides of %d frames, %dx%d, %d fps\n\n", m.name, r.peerSlides, slideFrames, width, height, fps)
	rig := newRig(r.dir)
	defer rig.server.Close()
	t := film(m)
	t.Clips = t.Clips[:r.peerSlides]
	ours := &side{name: "reelops", film: filepath.Join(r.dir, "reelops.mp4")}
	ours.run = func() (usage, error) {
		rig.prepare(t, ours.film)
		return r.render(rig)
	}
	theirs := &side{name: "remotion", film: filepath.Join(home, "film.mp4")}
	theirs.run = func() (usage, error) { return measure(r.remotion(m, home, browser, theirs.film), theirs.film) }
	return r.turns(ours, theirs)
}

// install copies the composition and its images into a folder, installs the packages and creates the bundle.
func (r *rounds) install(m mode, home, browser string) error {
	public := filepath.Join(home, "files", "public")
	if err := os.MkdirAll(public, 0o755); err != nil {
		return err
	}
	files, err := fs.Sub(remotionFiles, "remotion")
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(home, "remotion"), files); err != nil {
		return err
	}
	for n := range slides {
		for _, name := range []string{photoFile(n), m.layerFile(n)} {
			if err := os.Link(filepath.Join(r.dir, name), filepath.Join(public, name)); err != nil {
				return err
			}
		}
	}
	fmt.Println("installing Remotion ...")
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
	npm.Dir = filepath.Join(home, "remotion")
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	if out, err := r.remotion(m, home, browser, "-").CombinedOutput(); err != nil {
		return fmt.Errorf("bundling: %w\n%s", err, out)
	}
	return nil
}

// remotion returns the command that renders to a file. If out is "-", the command only creates the bundle.
func (r *rounds) remotion(m mode, home, browser, out string) *exec.Cmd {
	props, err := json.Marshal(map[string]any{
		"slides": r.peerSlides, "slideFrames": slideFrames, "zoom": m.zoom, "style": m.name, "fps": fps, "width": width, "height": height,
	})
	if err != nil {
		panic(err) // numbers and texts
	}
	cmd := exec.Command("node", "render.mjs", filepath.Join(home, "files"), out, browser, string(props))
	cmd.Dir = filepath.Join(home, "remotion")
	return cmd
}
