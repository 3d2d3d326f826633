// SPDX-License-Identifier: Apache-2.0

// Command benchrender measures the renderer beside the best single ffmpeg command for the same film.
//
// The film has eight slides of three seconds, 1080x1920 at 30 frames per second: a detailed drawn photo with a layer of text
// each. Two ways of showing them are measured: still slides with hard cuts, and slow zooms with cross-fades of 0.3 seconds.
// Both sides use the same encoder, preset and constant quality unless told otherwise, and make the same sound track and
// container. The renderer side is the whole program: it fetches its order and inputs over HTTP, checks the film and uploads
// it. The runs take turns.
//
// For each run it prints wall time, processor time of all processes, peak memory of the process tree and the size of the
// film; for each side the similarity (SSIM of the brightness) to the frames as they ought to be, which are computed apart from
// both; and the ratio of every pair with its median.
//
//	go run ./hack/benchrender -pairs 5 -mode all
package main
