// SPDX-License-Identifier: Apache-2.0

package callback

import (
	"fmt"

	"github.com/reelops/reelops/internal/work/order"
)

const (
	// Version is the only version of progress reports.
	Version = 1
	// MaxReportBytes bounds the JSON of a report. An outcome of the previous release has at most as many.
	MaxReportBytes = 4096
)

// Complete is the percentage of the last report of a successful render. The pod sends it once the video and the
// outcome are stored, so that the controller reads them without waiting for the end of the pod.
const Complete = 100

// Progress is how far a render is. Below Complete it is sent at most once a second.
type Progress struct {
	Version int `json:"version"`
	// Percent runs from 0 to 99 while the video is rendered and stored, and is Complete afterwards.
	Percent int `json:"percent"`
	// Frame is the number of rendered frames, of Frames.
	Frame  int `json:"frame"`
	Frames int `json:"frames"`
	// FPS is how many frames are rendered in a second.
	FPS float64 `json:"fps"`
}

// ParseProgress reads and checks a progress report.
func ParseProgress(doc []byte) (*Progress, error) {
	p := &Progress{}
	if err := order.Decode(doc, MaxReportBytes, p); err != nil {
		return nil, fmt.Errorf("reading the progress: %w", err)
	}
	switch {
	case p.Version != Version:
		return nil, order.Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, p.Version))
	case p.Percent < 0 || p.Percent > Complete:
		return nil, order.Wrong("percent", fmt.Sprintf("The percentage must be 0 to %d, not %d.", Complete, p.Percent))
	case p.Frame < 0 || p.Frame > p.Frames:
		return nil, order.Wrong("frame", fmt.Sprintf("The frame must be 0 to %d, not %d.", p.Frames, p.Frame))
	case !(p.FPS >= 0):
		return nil, order.Wrong("fps", "The frames per second cannot be negative.")
	}
	return p, nil
}
