// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"strconv"
)

// mux writes a bare H.264 stream and a bare AAC stream to an MP4 that starts to play before it is fully loaded. The
// file has no edit lists, dates or program names.
func mux(ctx context.Context, ffmpeg string, fps int, video, audio, out string) error {
	_, err := command(ctx, ffmpeg,
		"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "file",
		"-r", strconv.Itoa(fps), "-f", "h264", "-i", "file:"+video,
		"-protocol_whitelist", "file", "-f", "aac", "-i", "file:"+audio,
		"-map", "0:v:0", "-map", "1:a:0", "-map_metadata", "-1", "-c", "copy",
		"-use_editlist", "0", "-movflags", "+faststart", "-fflags", "+bitexact",
		"-f", "mp4", "-y", "file:"+out,
	).may([]string{video, audio}, out).output()
	return err
}
