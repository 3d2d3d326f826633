// SPDX-License-Identifier: Apache-2.0

// Command benchrender compares the renderer with other ways to create the same film.
//
// The film has eight slides of three seconds, 1080x1920 at 30 frames per second. Each slide is a detailed drawn photo
// with a layer of text. Modes:
//
//	still   hard cuts
//	fade    cross-fades of 0.3 seconds, three captions a slide, music
//	zoom    slow zooms with cross-fades
//	styles  every design style as users get it: its texts, zooms and cross-fades, with a table at the end
//	edit    one text of such a film is changed; segments cached by the earlier render are reused
//	peers   the default style compared with Remotion, which is installed with npm and draws in Debian's Chromium
//
// The id of a style runs that style alone. In mode edit the other side is the complete render of the edited film, which
// must have the same bytes. In mode peers it is Remotion. In all others it is a single ffmpeg command that does each
// one-time step once, with a quality that is not below the renderer's. All sides produce the same kind of sound track and
// container. The renderer's side is the whole program: it fetches its order and inputs over HTTP, checks the film and
// uploads it. The sides run in alternation.
//
// For each run the command prints wall time, processor time of all processes, peak memory of the process tree, the size
// of the film and the load of the machine. For each side it prints the similarity (SSIM of the luma) to independently
// computed reference frames, and the shimmer of zooms: how far points of the background are from their exact places in
// the next frame. It also prints the ratio of every pair with the median. On a busy machine only the ratios of processor
// time are meaningful.
//
//	go -C hack run ./benchrender -pairs 5 -mode all
package main
