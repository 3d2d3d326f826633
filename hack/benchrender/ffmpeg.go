// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// ffmpegArgs returns the arguments of one ffmpeg command for the film of a mode. Images are decoded and converted once,
// a still is repeated after it was composed, a zoom samples between pixels, only the box of the text is blended, and
// cross-fades are inside the slides.
func ffmpegArgs(m mode, dir, preset, crf, out string) []string {
	args := []string{"-hide_banner", "-nostdin", "-loglevel", "error", "-y"}
	for n := range slides {
		args = append(args, "-i", filepath.Join(dir, fmt.Sprintf("photo-%d.jpg", n)))
	}
	for n := range slides {
		args = append(args, "-i", filepath.Join(dir, fmt.Sprintf("text-%d.png", n)))
	}
	seconds := fmt.Sprintf("%.3f", float64(slides*slideFrames)/fps)
	if m == fade {
		args = append(args, "-t", seconds, "-i", filepath.Join(dir, "music.wav"))
		for n := range slides {
			for k := range captions {
				args = append(args, "-i", filepath.Join(dir, fmt.Sprintf("caption-%d-%d.png", n, k)))
			}
		}
	} else {
		args = append(args, "-t", seconds, "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo")
	}
	box := fmt.Sprintf("crop=%d:%d:%d:%d,format=yuva420p", textBox.Dx(), textBox.Dy(), textBox.Min.X, textBox.Min.Y)
	bt709 := "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic,format=yuv420p"
	over := fmt.Sprintf("overlay=%d:%d", textBox.Min.X, textBox.Min.Y)
	var graph []string
	add := func(format string, a ...any) { graph = append(graph, fmt.Sprintf(format, a...)) }
	frames := slides * slideFrames
	switch m {
	case still:
		var labels strings.Builder
		for n := range slides {
			add("[%d:v]%s[t%d]", slides+n, "scale=out_color_matrix=bt709:out_range=tv,"+box, n)
			add("[%d:v]%s[p%d];[p%d][t%d]%s,loop=loop=%d:size=1:start=0,setpts=N/%d/TB,fps=%d[v%d]",
				n, bt709, n, n, n, over, slideFrames-1, fps, fps, n)
			fmt.Fprintf(&labels, "[v%d]", n)
		}
		add("%sconcat=n=%d:v=1:a=0[v]", labels.String(), slides)
	case fade:
		// Every state of a slide is composed once and repeated.
		for n := range slides {
			add("[%d:v]scale=out_color_matrix=bt709:out_range=tv,%s[t%d]", slides+n, box, n)
			add("[%d:v]%s[p%d];[p%d][t%d]%s,split=%d[b%d-0][b%d-1][b%d-2]", n, bt709, n, n, n, over, captions, n, n, n)
			var labels strings.Builder
			for k := range captions {
				long := captionFrames
				if k == 0 && n > 0 {
					long += fadeFrames - fadeFrames/2
				}
				if k == captions-1 && n < slides-1 {
					long += fadeFrames / 2
				}
				add("[%d:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[k%d-%d]", 2*slides+1+n*captions+k, n, k)
				add("[b%d-%d][k%d-%d]overlay=%d:%d,loop=loop=%d:size=1:start=0,setpts=N/%d/TB[s%d-%d]",
					n, k, n, k, captionBox.Min.X, captionBox.Min.Y, long-1, fps, n, k)
				fmt.Fprintf(&labels, "[s%d-%d]", n, k)
			}
			add("%sconcat=n=%d:v=1:a=0,fps=%d,settb=1/%d[v%d]", labels.String(), captions, fps, fps, n)
		}
		crossfade(add)
	case zoom:
		for n := range slides {
			long := slideFrames // a slide is also visible during its cross-fades
			if n > 0 {
				long += fadeFrames - fadeFrames/2
			}
			if n < slides-1 {
				long += fadeFrames / 2
			}
			// z is the scale at output frame on. The corners of the source are moved towards the center accordingly.
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
		crossfade(add)
	}
	sound := []string{"-map", fmt.Sprintf("%d:a", 2*slides)}
	if m == fade {
		sound = append(sound, "-af", fmt.Sprintf("volume=%.2fdB,afade=t=out:st=%d:d=1", -14-loudness, slides*slideFrames/fps-1))
	}
	args = append(args, "-filter_complex", strings.Join(graph, ";"), "-map", "[v]", "-frames:v", fmt.Sprint(frames), "-r", fmt.Sprint(fps))
	args = append(args, sound...)
	return append(args, "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-preset", preset, "-crf", crf,
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart", out)
}

// crossfade joins the slides v0, v1, ... with cross-fades.
func crossfade(add func(string, ...any)) {
	last := "v0"
	for n := 1; n < slides; n++ {
		next := fmt.Sprintf("x%d", n)
		offset := float64(n*slideFrames-(fadeFrames-fadeFrames/2)) / fps
		add("[%s][v%d]xfade=transition=fade:duration=%.6f:offset=%.6f[%s]", last, n, float64(fadeFrames)/fps, offset, next)
		last = next
	}
	add("[%s]tpad=stop=2:stop_mode=clone[v]", last) // xfade drops the last frame because of rounding
}

// best has the settings of the single ffmpeg command to compare: of all presets the fastest one, with the crf at which
// its film is at most as similar to the reference as the renderer's.
var best = map[mode]struct{ preset, crf string }{
	still: {"superfast", "27"},
	fade:  {"superfast", "25"},
	zoom:  {"superfast", "24"},
}
