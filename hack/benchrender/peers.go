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

// peers compares the still film with Remotion's, which draws every frame in a browser. Remotion's packages are
// installed into a folder of the benchmark, and its bundle is created before the measurement. Each of its runs starts a
// new browser, as each run of the renderer starts new encoders.
func (r *rounds) peers() error {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		return errors.New("chromium is required: apt-get install chromium")
	}
	home := filepath.Join(r.dir, "peer")
	if err := r.install(home, browser); err != nil {
		return err
	}
	fmt.Printf("\nstill compared with Remotion: %d slides of %d frames, %dx%d, %d fps\n\n", r.peerSlides, slideFrames, width, height, fps)
	rig := newRig(r.dir)
	defer rig.server.Close()
	t := film(still)
	t.Clips = t.Clips[:r.peerSlides]
	ours := &side{name: "reelops", film: filepath.Join(r.dir, "reelops.mp4")}
	ours.run = func() (usage, error) {
		rig.prepare(t, ours.film)
		return r.render(rig)
	}
	theirs := &side{name: "remotion", film: filepath.Join(home, "film.mp4")}
	theirs.run = func() (usage, error) { return measure(r.remotion(home, browser, theirs.film), theirs.film) }
	return r.turns(ours, theirs)
}

// install copies the composition and its images into a folder, installs the packages and creates the bundle.
func (r *rounds) install(home, browser string) error {
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
		for _, name := range []string{fmt.Sprintf("photo-%d.jpg", n), fmt.Sprintf("text-%d.png", n)} {
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
	if out, err := r.remotion(home, browser, "-").CombinedOutput(); err != nil {
		return fmt.Errorf("bundling: %w\n%s", err, out)
	}
	return nil
}

// remotion returns the command that renders to a file. If out is "-", the command only creates the bundle.
func (r *rounds) remotion(home, browser, out string) *exec.Cmd {
	props, err := json.Marshal(map[string]int{"slides": r.peerSlides, "slideFrames": slideFrames, "fps": fps, "width": width, "height": height})
	if err != nil {
		panic(err) // marshaling a map of numbers cannot fail
	}
	cmd := exec.Command("node", "render.mjs", filepath.Join(home, "files"), out, browser, string(props))
	cmd.Dir = filepath.Join(home, "remotion")
	return cmd
}
