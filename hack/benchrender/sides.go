// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/reelops/reelops/internal/renderwork"
	"github.com/reelops/reelops/internal/timeline"
)

// mode is one way of showing the slides.
type mode string

const (
	still mode = "still"
	zoom  mode = "zoom"
)

// zoomTo is the scale at the end of a slow zoom.
const zoomTo = 1.12

// film is the timeline of a mode.
func film(m mode) timeline.Timeline {
	t := timeline.Timeline{Version: timeline.Version, Canvas: timeline.Canvas{Width: width, Height: height}, FPS: fps}
	for n := range slides {
		c := timeline.Clip{
			Background: timeline.Background{Input: fmt.Sprintf("photo-%d.jpg", n)},
			Layer:      &timeline.Layer{Input: fmt.Sprintf("text-%d.png", n)},
			Frames:     slideFrames,
		}
		if m == zoom {
			c.Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: zoomTo}
			if n < slides-1 {
				c.Transition = timeline.Transition{Kind: timeline.Crossfade, Frames: fadeFrames}
			}
		}
		t.Clips = append(t.Clips, c)
	}
	return t
}

// ffmpegArgs is one ffmpeg command for the film of a mode: pictures are decoded and converted once, a still is repeated after
// it was composed, a zoom samples between pixels, only the box of the text is blended, cross-fades lie inside the slides.
func ffmpegArgs(m mode, dir, preset, crf, out string) []string {
	args := []string{"-hide_banner", "-nostdin", "-loglevel", "error", "-y"}
	for n := range slides {
		args = append(args, "-i", filepath.Join(dir, fmt.Sprintf("photo-%d.jpg", n)))
	}
	for n := range slides {
		args = append(args, "-i", filepath.Join(dir, fmt.Sprintf("text-%d.png", n)))
	}
	args = append(args, "-t", fmt.Sprintf("%.3f", float64(slides*slideFrames)/fps), "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo")
	box := fmt.Sprintf("crop=%d:%d:%d:%d,format=yuva420p", textBox.Dx(), textBox.Dy(), textBox.Min.X, textBox.Min.Y)
	bt709 := "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic,format=yuv420p"
	over := fmt.Sprintf("overlay=%d:%d", textBox.Min.X, textBox.Min.Y)
	var graph []string
	add := func(format string, a ...any) { graph = append(graph, fmt.Sprintf(format, a...)) }
	frames := slides * slideFrames
	if m == still {
		var labels strings.Builder
		for n := range slides {
			add("[%d:v]%s[t%d]", slides+n, "scale=out_color_matrix=bt709:out_range=tv,"+box, n)
			add("[%d:v]%s[p%d];[p%d][t%d]%s,loop=loop=%d:size=1:start=0,setpts=N/%d/TB,fps=%d[v%d]",
				n, bt709, n, n, n, over, slideFrames-1, fps, fps, n)
			fmt.Fprintf(&labels, "[v%d]", n)
		}
		add("%sconcat=n=%d:v=1:a=0[v]", labels.String(), slides)
	} else {
		for n := range slides {
			long := slideFrames // a slide is also seen while it comes and while it goes
			if n > 0 {
				long += fadeFrames - fadeFrames/2
			}
			if n < slides-1 {
				long += fadeFrames / 2
			}
			// z is the scale at output frame on; the corners of the source are moved towards the centre accordingly.
			z := fmt.Sprintf("pow(%g,(1-cos(PI*on/%d))/2)", zoomTo, long-1)
			edge := func(side string, far bool) string {
				if far {
					return fmt.Sprintf("'%s/2*(1+1/%s)'", side, z)
				}
				return fmt.Sprintf("'%s/2*(1-1/%s)'", side, z)
			}
			add("[%d:v]scale=out_color_matrix=bt709:out_range=tv,%s,loop=loop=%d:size=1:start=0,setpts=N/%d/TB[t%d]", slides+n, box, long-1, fps, n)
			add("[%d:v]%s,loop=loop=%d:size=1:start=0,setpts=N/%d/TB,perspective=x0=%s:y0=%s:x1=%s:y1=%s:x2=%s:y2=%s:x3=%s:y3=%s:interpolation=linear:sense=source:eval=frame[p%d]",
				n, bt709, long-1, fps,
				edge("W", false), edge("H", false), edge("W", true), edge("H", false),
				edge("W", false), edge("H", true), edge("W", true), edge("H", true), n)
			add("[p%d][t%d]%s,fps=%d,settb=1/%d[v%d]", n, n, over, fps, fps, n)
		}
		last := "v0"
		for n := 1; n < slides; n++ {
			next := fmt.Sprintf("x%d", n)
			offset := float64(n*slideFrames-(fadeFrames-fadeFrames/2)) / fps
			add("[%s][v%d]xfade=transition=fade:duration=%.6f:offset=%.6f[%s]", last, n, float64(fadeFrames)/fps, offset, next)
			last = next
		}
		add("[%s]tpad=stop=2:stop_mode=clone[v]", last) // xfade rounds the last frame away
	}
	args = append(args, "-filter_complex", strings.Join(graph, ";"), "-map", "[v]", "-map", fmt.Sprintf("%d:a", 2*slides),
		"-frames:v", fmt.Sprint(frames), "-r", fmt.Sprint(fps))
	return append(args, "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-preset", preset, "-crf", crf,
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart", out)
}

// rig serves an order and takes the film, as the front end and the store do.
type rig struct {
	server *httptest.Server
	order  renderwork.Order
	dir    string
	out    string
	said   *renderwork.Outcome
}

func newRig(dir string) *rig {
	r := &rig{dir: dir}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	return r
}

func (r *rig) prepare(m mode, out string) {
	r.out, r.said = out, nil
	r.order = renderwork.Order{
		Version: renderwork.Version, Timeline: film(m), Inputs: map[string]renderwork.Input{},
		Outputs:  renderwork.Outputs{Video: renderwork.Target{URL: r.server.URL + "/video"}},
		Callback: renderwork.Callback{ProgressURL: r.server.URL + "/progress", OutcomeURL: r.server.URL + "/outcome"},
	}
	for _, key := range r.order.Timeline.Inputs() {
		r.order.Inputs[key] = renderwork.Input{URL: r.server.URL + "/in/" + key, MaxBytes: 64 << 20}
	}
}

func (r *rig) serve(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.URL.Path == "/order":
		_ = json.NewEncoder(w).Encode(r.order)
	case strings.HasPrefix(req.URL.Path, "/in/"):
		http.ServeFile(w, req, filepath.Join(r.dir, filepath.Base(req.URL.Path)))
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
		r.said, _ = renderwork.ParseOutcome(b)
	}
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
