// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"time"

	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/work/outcome"
)

// Tools are the programs and their limits.
type Tools struct {
	// FFmpeg and FFprobe are the programs.
	FFmpeg, FFprobe string
	// Threads is the number of threads of each program, at least 1.
	Threads int
	// MemoryBytes is the memory limit of each program; 0 for the limit of this process.
	MemoryBytes int64
}

// Limits are the limits of a file. Those of frames do not apply to tracks.
type Limits struct {
	Duration  time.Duration
	Tracks    int
	Pixels    int64
	Side      int
	Frames    int64
	FrameRate float64
}

// Refusal is the error of a file that cannot be used. Another attempt cannot succeed.
type Refusal struct {
	Reason outcome.Reason
	// Message is a sentence for users. It contains no content of the file.
	Message string
	// Err is the cause, for logs; nil if the message is complete.
	Err error
}

// Error returns the message and the cause.
func (r *Refusal) Error() string {
	if r.Err == nil {
		return r.Message
	}
	return r.Message + " (" + r.Err.Error() + ")"
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(reason outcome.Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func unreadable(err error, message string) *Refusal {
	return &Refusal{Reason: outcome.Unreadable, Message: message, Err: err}
}

// demuxers has the only permitted demuxer of each content type.
var demuxers = map[string]string{
	sniff.MP4: "mov", sniff.QuickTime: "mov", sniff.M4A: "mov", sniff.WebM: "matroska",
	sniff.MP3: "mp3", sniff.AAC: "aac", sniff.WAV: "wav", sniff.FLAC: "flac", sniff.Ogg: "ogg",
}

// decoders that may be run, by the names they have in ffmpeg. PNG is for the covers of records.
const decoders = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,mpeg4,mjpeg,png,prores,h263,dvvideo," +
	"aac,mp3float,mp3,opus,libopus,vorbis,libvorbis,flac,alac,ac3,eac3," +
	"pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f64le,pcm_u8,pcm_s8,pcm_alaw,pcm_mulaw"

// codecs that are taken: those that the decoders above decode, by the names ffprobe gives them.
var codecs = map[string]bool{
	"h264": true, "hevc": true, "vp8": true, "vp9": true, "av1": true, "mpeg4": true, "mjpeg": true, "prores": true, "h263": true, "dvvideo": true,
	"aac": true, "mp3": true, "opus": true, "vorbis": true, "flac": true, "alac": true, "ac3": true, "eac3": true,
	"pcm_s16le": true, "pcm_s16be": true, "pcm_s24le": true, "pcm_s24be": true, "pcm_s32le": true, "pcm_s32be": true,
	"pcm_f32le": true, "pcm_f64le": true, "pcm_u8": true, "pcm_s8": true, "pcm_alaw": true, "pcm_mulaw": true,
}
