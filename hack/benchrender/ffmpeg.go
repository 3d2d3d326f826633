// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"
)

// ffmpegArgs returns the arguments of one ffmpeg command for the film of a mode, with the text layers in the given boxes.
// Images are decoded and converted once, a still is repeated after it was composed, a zoom samples between pixels, only
// the box of the text is blended, and cross-fades are inside the slides. The preset is the fastest one of x264 that
// supports High profile: with slower ones the command takes longer for the same similarity.
func ffmpegArgs(m mode, boxes []image.Rectangle, dir, preset, crf, out string) []string {
	args := []string{"-hide_banner", "-nostdin", "-loglevel", "error", "-y"}
	for n := range slides {
		args = append(args, "-i", filepath.Join(dir, photoFile(n)))
	}
	for n := range slides {
		args = append(args, "-i", filepath.Join(dir, m.layerFile(n)))
	}
	seconds := fmt.Sprintf("%.3f", filmSeconds)
	if m.captioned {
		args = append(args, "-t", seconds, "-i", filepath.Join(dir, "music.wav"))
		for n := range slides {
			for k := range captions {
				args = append(args, "-i", filepath.Join(dir, captionFile(n, k)))
			}
		}
	} else {
		args = append(args, "-t", seconds, "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo")
	}
	var graph []string
	add := func(format string, a ...any) { graph = append(graph, fmt.Sprintf(format, a...)) }
	for n := range slides {
		slide(add, m, n, boxes[n])
	}
	if m.fade > 0 {
		crossfade(add, m.fade)
	} else {
		var labels strings.Builder
		for n := range slides {
			fmt.Fprintf(&labels, "[v%d]", n)
		}
		add("%sconcat=n=%d:v=1:a=0[v]", labels.String(), slides)
	}
	sound := []string{"-map", fmt.Sprintf("%d:a", 2*slides)}
	if m.captioned {
		sound = append(sound, "-af", fmt.Sprintf("volume=%.2fdB,afade=t=out:st=%d:d=1", -14-loudness, slides*slideFrames/fps-1))
	}
	args = append(args, "-filter_complex", strings.Join(graph, ";"), "-map", "[v]", "-frames:v", fmt.Sprint(slides*slideFrames), "-r", fmt.Sprint(fps))
	args = append(args, sound...)
	return append(args, "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-preset", preset, "-crf", crf,
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart", out)
}

// slide adds the filters of slide n, whose text is in a box, with the output vN.
func slide(add func(string, ...any), m mode, n int, box image.Rectangle) {
	const bt709 = "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic,format=yuv420p"
	over := fmt.Sprintf("overlay=%d:%d", box.Min.X, box.Min.Y)
	before, after := 0, 0 // frames of cross-fades, in which the slide is also visible
	if n > 0 {
		before = m.fade - m.fade/2
	}
	if n < slides-1 {
		after = m.fade / 2
	}
	long := before + slideFrames + after
	add("[%d:v]scale=out_color_matrix=bt709:out_range=tv,crop=%d:%d:%d:%d,format=yuva420p[t%d]", slides+n, box.Dx(), box.Dy(), box.Min.X, box.Min.Y, n)
	from, to := m.scales(n)
	switch {
	case m.captioned:
		// Every state of a slide is composed once and repeated.
		add("[%d:v]%s[p%d];[p%d][t%d]%s,split=%d[b%d-0][b%d-1][b%d-2]", n, bt709, n, n, n, over, captions, n, n, n)
		var labels strings.Builder
		for k := range captions {
			frames := captionFrames
			if k == 0 {
				frames += before
			}
			if k == captions-1 {
				frames += after
			}
			add("[%d:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[k%d-%d]", 2*slides+1+n*captions+k, n, k)
			add("[b%d-%d][k%d-%d]overlay=%d:%d,loop=loop=%d:size=1:start=0,setpts=N/%d/TB[s%d-%d]",
				n, k, n, k, captionBox.Min.X, captionBox.Min.Y, frames-1, fps, n, k)
			fmt.Fprintf(&labels, "[s%d-%d]", n, k)
		}
		add("%sconcat=n=%d:v=1:a=0,fps=%d,settb=1/%d[v%d]", labels.String(), captions, fps, fps, n)
	case from == to:
		add("[%d:v]%s[p%d];[p%d][t%d]%s,loop=loop=%d:size=1:start=0,setpts=N/%d/TB,fps=%d,settb=1/%d[v%d]",
			n, bt709, n, n, n, over, long-1, fps, fps, fps, n)
	default:
		// z is the scale at output frame on, counted from 1. The corners of the source are moved towards the center accordingly.
		z := fmt.Sprintf("(%g*pow(%g,(1-cos(PI*(on-1)/%d))/2))", from, to/from, long-1)
		edge := func(side string, far bool) string {
			if far {
				return fmt.Sprintf("'%s/2*(1+1/%s)'", side, z)
			}
			return fmt.Sprintf("'%s/2*(1-1/%s)'", side, z)
		}
		// The frame after the last one is needed as well, because overlay drops the last frame of its inputs.
		add("[t%d]loop=loop=%d:size=1:start=0,setpts=N/%d/TB[l%d]", n, long, fps, n)
		add("[%d:v]%s,loop=loop=%d:size=1:start=0,setpts=N/%d/TB,perspective=x0=%s:y0=%s:x1=%s:y1=%s:x2=%s:y2=%s:x3=%s:y3=%s:interpolation=linear:sense=source:eval=frame[p%d]",
			n, bt709, long, fps,
			edge("W", false), edge("H", false), edge("W", true), edge("H", false),
			edge("W", false), edge("H", true), edge("W", true), edge("H", true), n)
		add("[p%d][l%d]%s,fps=%d,trim=end_frame=%d,settb=1/%d[v%d]", n, n, over, fps, long, fps, n)
	}
}

// crossfade joins the slides v0, v1, ... with cross-fades.
func crossfade(add func(string, ...any), frames int) {
	last := "v0"
	for n := 1; n < slides; n++ {
		next := fmt.Sprintf("x%d", n)
		offset := float64(n*slideFrames-(frames-frames/2)) / fps
		add("[%s][v%d]xfade=transition=fade:duration=%.6f:offset=%.6f[%s]", last, n, float64(frames)/fps, offset, next)
		last = next
	}
	add("[%s]tpad=stop=2:stop_mode=clone[v]", last) // xfade drops the last frame because of rounding
}
