// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/internal/film/timeline"
)

// edit is a change of one text.
type edit struct {
	name string
	of   mode
	make func(*timeline.Timeline)
}

var allEdits = []edit{
	{"one caption of a video with cross-fades", fade, func(t *timeline.Timeline) { t.Clips[3].Spots[1].Input = "caption-edited.png" }},
	{"the text of one slide with cross-fades", fade, func(t *timeline.Timeline) { t.Clips[3].Layer.Input = "text-edited.png" }},
	{"the text of one still slide with hard cuts", still, func(t *timeline.Timeline) { t.Clips[3].Layer.Input = "text-edited.png" }},
	{"the text of one zooming slide", zoom, func(t *timeline.Timeline) { t.Clips[3].Layer.Input = "text-edited.png" }},
}

// edits compares the render of an edited film from what the render before has kept to the one from nothing. Both are the whole
// program, and both have to give the same film.
func (r *rounds) edits() error {
	for _, e := range allEdits {
		if err := r.edit(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *rounds) edit(e edit) error {
	fmt.Printf("\nedit: %s\n\n", e.name)
	rig := newRig(r.dir)
	defer rig.server.Close()
	before := film(e.of)
	after := film(e.of)
	e.make(&after)
	rig.prepare(before, filepath.Join(r.dir, "before.mp4"))
	rig.keep()
	if _, err := r.render(rig); err != nil {
		return err
	}
	kept := rig.pack
	if len(kept) == 0 {
		return errors.New("the renderer stored no segments")
	}
	warm, cold := &side{name: "edited", film: filepath.Join(r.dir, "edited.mp4")}, &side{name: "cold", film: filepath.Join(r.dir, "cold.mp4")}
	coded := 0
	warm.run = func() (usage, error) {
		rig.pack = kept
		rig.prepare(after, warm.film)
		rig.keep()
		u, err := r.render(rig)
		if err == nil && rig.said != nil && rig.said.Film != nil {
			coded = rig.said.Film.Encoded
		}
		return u, err
	}
	cold.run = func() (usage, error) {
		rig.pack = nil
		rig.prepare(after, cold.film)
		rig.keep()
		return r.render(rig)
	}
	if err := r.turns(warm, cold); err != nil {
		return err
	}
	a, err := os.ReadFile(warm.film)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(cold.film)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return errors.New("the edited video differs from a full render")
	}
	fmt.Printf("%-12s identical bytes; %d of %d frames were encoded\n", "video", coded, rig.said.Film.Encoded)
	return nil
}
