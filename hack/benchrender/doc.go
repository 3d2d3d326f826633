// SPDX-License-Identifier: Apache-2.0

// Command benchrender measures the renderer beside other ways to make the same film.
//
// The film has eight slides of three seconds, 1080x1920 at 30 frames per second: a detailed drawn photo with a layer of text
// each. Modes:
//
//	still  hard cuts
//	fade   cross-fades of 0.3 seconds, three captions a slide, music
//	zoom   slow zooms with cross-fades
//	edit   one text of such a film is changed; what the render before has kept is used
//	peers  hard cuts beside Remotion, which is installed with npm and draws in Debian's Chromium
//
// In the first three the other side is a single ffmpeg command that does everything once that has to be done once, with the preset
// that is the quickest at a quality not above the renderer's. The other side of an edit is the whole render of the edited film,
// which has to have the same bytes. All sides make the same kind of sound track and container. The renderer's side is the whole
// program: it fetches its order and inputs over HTTP, checks the film and uploads it. The runs take turns.
//
// For each run it prints wall time, processor time of all processes, peak memory of the process tree, the size of the film and how
// busy the machine was; for each side the similarity (SSIM of the brightness) to the frames as they ought to be, which are
// computed apart from both; and the ratio of every pair with its median. On a busy machine the ratios of processor time are what
// counts.
//
//	go -C hack run ./benchrender -pairs 5 -mode all
package main
