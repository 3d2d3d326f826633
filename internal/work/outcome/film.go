// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"fmt"
	"math"

	"github.com/reelops/reelops/internal/work/order"
)

const (
	// maxNumber is the largest integer of a result. Arithmetic with such integers cannot overflow.
	maxNumber = 1 << 40
	// maxSeconds is the largest time of a result in seconds.
	maxSeconds = 1e6
)

// Film describes an uploaded video.
type Film struct {
	Bytes           int64   `json:"bytes"`
	SHA256          string  `json:"sha256"`
	DurationSeconds float64 `json:"duration_seconds"`
	Width           int     `json:"width"`
	Height          int     `json:"height"`
	Frames          int     `json:"frames"`
	// Probe describes the streams in one line, such as "h264 High yuv420p 1080x1920 30/1, aac 48000 Hz 2 ch, fast start".
	Probe string `json:"probe"`
	// Encoded is the number of encoded frames. The other frames repeat the previous frame or come from the segment cache.
	Encoded int `json:"encoded"`
	// Reused is the number of parts that were read from the segment cache.
	Reused int `json:"reused,omitempty"`
	// Parts is the number of parts of the video.
	Parts int `json:"parts,omitempty"`
	// RenderSeconds is the time from the end of the downloads to the validated video.
	RenderSeconds float64 `json:"render_seconds"`
	// Poster reports whether the poster was uploaded.
	Poster bool `json:"poster,omitempty"`
}

// check returns an *order.Error for the first invalid field.
func (f *Film) check() error {
	for _, n := range []int{f.Encoded, f.Reused, f.Parts} {
		if n < 0 || int64(n) > maxNumber {
			return order.Wrong("film", "The numbers of frames and parts are not negative.")
		}
	}
	switch {
	case f.Bytes < 1 || f.Bytes > maxNumber || f.Frames < 1 || int64(f.Frames) > maxNumber ||
		!(f.DurationSeconds > 0 && f.DurationSeconds < maxSeconds):
		return order.Wrong("film", "The size, length and frames of a video are above zero.")
	case !(f.RenderSeconds >= 0 && f.RenderSeconds < maxSeconds):
		return order.Wrong("film.render_seconds", "The time of a render is not negative.")
	case f.Width < 1 || f.Height < 1 || f.Width > math.MaxInt32 || f.Height > math.MaxInt32:
		return order.Wrong("film", "The dimensions of a video are above zero.")
	case !order.IsSHA256(f.SHA256):
		return order.Wrong("film.sha256", "The digest must be 64 lower-case hexadecimal digits.")
	case len(f.Probe) > maxMessage:
		return order.Wrong("film.probe", fmt.Sprintf("The summary is longer than %d bytes.", maxMessage))
	}
	return nil
}
