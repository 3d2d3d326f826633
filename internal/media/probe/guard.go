// SPDX-License-Identifier: Apache-2.0

package probe

// Guard returns the options that must precede the input of every ffmpeg or ffprobe command that opens a file of a user:
// the one demuxer for its sniffed type, the accepted decoders, a limit on its tracks, and local files only. ok is false
// for a type that is not accepted.
func Guard(contentType string, threads, tracks int) (options []string, ok bool) {
	if demuxers[contentType] == "" {
		return nil, false
	}
	return Tools{Threads: threads}.guard(contentType, Limits{Tracks: tracks}), true
}
