// SPDX-License-Identifier: Apache-2.0

package probe

// Guard gives the options that have to stand before the input of every ffmpeg or ffprobe that opens a file somebody brought:
// the one demuxer that its type by its first bytes asks for, the decoders that are taken, a bound on its tracks, local files
// alone. ok is false for a type that is not taken.
func Guard(contentType string, threads, tracks int) (options []string, ok bool) {
	if demuxers[contentType] == "" {
		return nil, false
	}
	return Tools{Threads: threads}.guard(contentType, Limits{Tracks: tracks}), true
}
