// SPDX-License-Identifier: Apache-2.0

package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/reelops/reelops/internal/film/timeline"
)

// contentVersion must be increased with every change in this package that changes the image or the sound of a timeline.
// Older cached segments are then not used any more.
const contentVersion = 5

// keyer computes the keys of segments from everything that determines their bytes: the content of their images, by the
// digests of the files and not by their names, and the encoder settings. The names of images, when they are shown and
// for how long are not part of it.
type keyer struct {
	o       Options
	tl      *timeline.Timeline
	digests map[string]string
}

type segmentContent struct {
	Version  int
	Canvas   timeline.Canvas
	FPS      int
	Preset   Preset
	CRF      float64
	Pictures []pictureContent
	// Fade is a cross-fade that ends with Next, the first image of the next segment.
	Fade []pictureContent `json:",omitempty"`
	Next *viewContent     `json:",omitempty"`
}

type pictureContent struct {
	A, B *viewContent
	Mix  float64
	Held bool // whether the first image is shown again
	// Moved are the progress of the images that follow as displacements.
	Moved []float64 `json:",omitempty"`
}

type viewContent struct {
	Picture, Layer string // digests
	At             [2]int
	Motion         timeline.Motion
	Progress       float64
	Focus          *timeline.Point
	Footage        *timeline.Footage
	Frame          int
	Spots          []spotContent
	Inset          *insetContent `json:",omitempty"`
}

type insetContent struct {
	Footage         *timeline.Footage
	At, Size        [2]int
	Radius, Picture int
}

type spotContent struct {
	Picture string
	At      [2]int
}

// key returns the key of a segment: a digest in hexadecimal.
func (k keyer) key(s *segment) string {
	c := segmentContent{Version: contentVersion, Canvas: k.tl.Canvas, FPS: k.tl.FPS, Preset: k.o.Preset, CRF: k.o.CRF}
	for n, shot := range s.shots {
		p := k.picture(shot)
		p.Held = n == 0 && s.repeat[0] > 0
		for _, m := range s.written[n].moved {
			p.Moved = append(p.Moved, m.A.Progress)
		}
		c.Pictures = append(c.Pictures, p)
	}
	if s.fades() {
		last := s.written[len(s.written)-1]
		for _, shot := range last.fade {
			c.Fade = append(c.Fade, k.picture(shot))
		}
		c.Next = k.view(last.next.A)
	}
	return named("picture", c)
}

func (k keyer) picture(s timeline.Shot) pictureContent {
	p := pictureContent{A: k.view(s.A)}
	if s.Mix > 0 {
		p.B, p.Mix = k.view(s.B), s.Mix
	}
	return p
}

func (k keyer) view(v timeline.View) *viewContent {
	c := &k.tl.Clips[v.Clip]
	out := &viewContent{Progress: v.Progress}
	if c.Footage != nil {
		out.Footage, out.Frame = k.footage(*c.Footage), v.Frame
	} else {
		out.Picture, out.Focus, out.Motion = k.digests[c.Background.Input], c.Background.Focus, c.Motion
	}
	if n := c.Inset; v.Inset > 0 {
		out.Inset = &insetContent{k.footage(n.Footage), [2]int{n.X, n.Y}, [2]int{n.Width, n.Height}, n.Radius, v.Inset}
	}
	if c.Layer != nil {
		out.Layer, out.At = k.digests[c.Layer.Input], [2]int{c.Layer.X, c.Layer.Y}
	}
	for _, i := range c.ShownSpots(v) {
		out.Spots = append(out.Spots, spotContent{k.digests[c.Spots[i].Input], [2]int{c.Spots[i].X, c.Spots[i].Y}})
	}
	return out
}

// footage returns what determines the images of footage, without its display time and its sound.
func (k keyer) footage(f timeline.Footage) *timeline.Footage {
	f.Input, f.Loop, f.Sound = k.digests[f.Input], false, false
	if f.Fit == timeline.Cover { // the default
		f.Fit = ""
	}
	return &f
}

// soundContent is everything that determines the sound.
type soundContent struct {
	Version, FPS, Frames int
	Audio                timeline.Audio
	Inputs               map[string]string
	Clips                []clipSound
}

type clipSound struct {
	Frames     int
	Transition timeline.Transition
	Footage    *timeline.Footage
	Digest     string
}

// sound returns the key of the video's sound.
func (k keyer) sound() string {
	c := soundContent{Version: contentVersion, FPS: k.tl.FPS, Frames: k.tl.Frames(), Audio: k.tl.Audio, Inputs: map[string]string{}}
	heard := false
	for i := range k.tl.Clips {
		clip := &k.tl.Clips[i]
		s := clipSound{Frames: clip.Frames, Transition: clip.Transition}
		if clip.Footage != nil && clip.Footage.Sound {
			f := *clip.Footage
			f.Fit = "" // does not affect the sound
			s.Footage, s.Digest = &f, k.digests[f.Input]
		}
		heard = heard || clip.Footage != nil // videos with footage are encoded differently, even if silent
		c.Clips = append(c.Clips, s)
	}
	if !heard {
		c.Clips = nil // cuts do not affect the sound
	}
	if c.Audio.Kind == timeline.Music {
		c.Inputs[c.Audio.Input] = k.digests[c.Audio.Input]
	}
	for _, v := range c.Audio.Voices {
		c.Inputs[v.Input] = k.digests[v.Input]
	}
	return named("sound", c)
}

// named returns the digest of the JSON of content. Numbers in the JSON keep every digit.
func named(kind string, content any) string {
	h := sha256.New()
	h.Write([]byte(kind))
	if err := json.NewEncoder(h).Encode(content); err != nil {
		panic(err) // plain data of valid timelines: no number in it is infinite
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digestAll returns the digests of all inputs. It computes the missing ones.
func digestAll(tl *timeline.Timeline, paths, known map[string]string) (map[string]string, error) {
	all := map[string]string{}
	for _, key := range tl.Inputs() {
		switch {
		case all[key] != "":
		case known[key] != "":
			all[key] = known[key]
		default:
			_, sum, err := digest(paths[key])
			if err != nil {
				return nil, err
			}
			all[key] = sum
		}
	}
	return all, nil
}
