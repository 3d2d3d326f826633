// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/media/intake"
)

// report sets the conditions. No other function sets them.
func report(m *v1beta1.MediaAsset, f *intake.File) {
	what := ""
	if p := m.Status.Probe; p != nil {
		what = fmt.Sprintf("%s, %dx%d, %d bytes", p.ContentType, p.Width, p.Height, p.Bytes)
		if p.Kind == kindVideo {
			what = fmt.Sprintf("%s, %dx%d, %s, %d bytes", p.ContentType, p.Width, p.Height, time.Duration(p.DurationMilliseconds)*time.Millisecond, p.Bytes)
		}
	}
	intake.Report(f, what, "MediaAsset")
}
