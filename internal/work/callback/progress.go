// SPDX-License-Identifier: Apache-2.0

package callback

import (
	"fmt"

	"github.com/reelops/reelops/internal/work/order"
)

const (
	// Version is the version of progress reports.
	Version = 1
	// MaxReportBytes is the size limit of the JSON of a report, also of an outcome that the previous release reports.
	MaxReportBytes = 4096
)

// Complete is the percentage of the last report of a successful render. The pod sends this report after it has stored
// the video and the outcome. The controller then reads them before the pod has ended.
const Complete = 100

// Progress is the progress of a render. A pod sends at most one report a second, except for the last report.
type Progress struct {
	Version int `json:"version"`
	// Percent is 0 to 99 while the video is rendered and stored, and Complete afterwards.
	Percent int `json:"percent"`
	// Frame is the number of rendered frames, of Frames.
	Frame  int `json:"frame"`
	Frames int `json:"frames"`
	// FPS is the number of frames that are rendered in a second.
	FPS float64 `json:"fps"`
}

// ParseProgress parses and validates a progress report.
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
