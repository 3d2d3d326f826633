// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// film returns the timeline of a mode.
func film(m mode) timeline.Timeline {
	t := timeline.Timeline{Version: timeline.Version, Canvas: timeline.Canvas{Width: width, Height: height}, FPS: fps}
	for n := range slides {
		c := timeline.Clip{
			Background: timeline.Background{Input: photoFile(n)},
			Layer:      &timeline.Layer{Input: m.layerFile(n)},
			Frames:     slideFrames,
		}
		if from, to := m.scales(n); from != to {
			c.Motion = timeline.Motion{Kind: timeline.SlowZoom, From: from, To: to}
		}
		if m.fade > 0 && n < slides-1 {
			c.Transition = timeline.Transition{Kind: timeline.Crossfade, Frames: m.fade}
		}
		if m.captioned {
			for k := range captions {
				c.Spots = append(c.Spots, timeline.Spot{
					Layer: timeline.Layer{Input: captionFile(n, k), X: captionBox.Min.X, Y: captionBox.Min.Y},
					From:  k * captionFrames, To: (k + 1) * captionFrames,
				})
			}
		}
		t.Clips = append(t.Clips, c)
	}
	if m.captioned {
		t.Audio = timeline.Audio{Kind: timeline.Music, Input: "music.wav", FadeOutFrames: fps}
	}
	return t
}

// rig serves an order and takes the film, as the front end and the store do.
type rig struct {
	server *httptest.Server
	order  order.Order
	dir    string
	out    string
	pack   []byte // what the last render kept
	said   *outcome.Outcome
}

func newRig(dir string) *rig {
	r := &rig{dir: dir}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	return r
}

// prepare makes an order. The renderer is given a pack when it keeps one.
func (r *rig) prepare(t timeline.Timeline, out string) {
	r.out, r.said = out, nil
	doc, err := json.Marshal(t)
	if err != nil {
		panic(err) // a timeline is plain data
	}
	r.order = order.Order{
		Version: order.Version, ID: "bench", Kind: order.Film, Outcome: order.Target{URL: r.server.URL + "/outcome"}, ProgressURL: r.server.URL + "/progress",
		Render: &order.Render{Timeline: doc, Inputs: map[string]order.File{}, Video: order.Target{URL: r.server.URL + "/video"}},
		Limits: order.Limits{Deadline: time.Now().Add(time.Hour), MemoryBytes: 4 << 30, Threads: min(runtime.NumCPU(), order.MaxThreads)},
	}
	for _, key := range t.Inputs() {
		r.order.Render.Inputs[key] = order.File{URL: r.server.URL + "/in/" + key, MaxBytes: 64 << 20}
	}
}

func (r *rig) serve(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.URL.Path == "/order":
		_ = json.NewEncoder(w).Encode(r.order)
	case strings.HasPrefix(req.URL.Path, "/in/"):
		http.ServeFile(w, req, filepath.Join(r.dir, filepath.Base(req.URL.Path)))
	case req.URL.Path == "/pack" && req.Method == http.MethodPut:
		r.pack, _ = io.ReadAll(req.Body)
	case req.URL.Path == "/pack" && r.pack != nil:
		_, _ = w.Write(r.pack)
	case req.URL.Path == "/pack":
		http.NotFound(w, req)
	case req.URL.Path == "/video":
		f, err := os.Create(r.out)
		if err == nil {
			_, err = io.Copy(f, req.Body)
			f.Close()
		}
		if err != nil {
			http.Error(w, "no", http.StatusInternalServerError)
		}
	case req.URL.Path == "/outcome":
		b, _ := io.ReadAll(req.Body)
		r.said, _ = outcome.Parse(b)
	}
}

// keep has the renderer use and keep what it can of the film before.
func (r *rig) keep() {
	r.order.Render.Pack = &order.Pack{URL: r.server.URL + "/pack", Keep: &order.Target{URL: r.server.URL + "/pack"}}
}

// command is the renderer's process.
func (r *rig) command(binary, scratch string) *exec.Cmd {
	cmd := exec.Command(binary)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "REELOPS_ORDER_URL=" + r.server.URL + "/order",
		"REELOPS_SCRATCH=" + scratch, "REELOPS_TERMINATION_LOG=" + filepath.Join(scratch, "last-words"),
	}
	return cmd
}
