// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"cmp"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// settings returns what the author chose for YouTube.
func settings(d publish.Draft) v1beta1.YouTubeSettings {
	if d.Settings.YouTube == nil {
		return v1beta1.YouTubeSettings{}
	}
	return *d.Settings.YouTube
}

// target returns the visibility of the video once it is published. A draft stays private.
func target(d publish.Draft) string {
	if d.Mode == catalog.PostDraft {
		return private
	}
	return cmp.Or(settings(d).Privacy, public)
}

// rechecks are the ages of a published video at which its visibility is read again. YouTube accepts videos from
// projects that it has not audited, and locks them as private later.
var rechecks = []time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// recheck returns how long after now the visibility is read again; 0 when every check is over.
func recheck(published, now time.Time) time.Duration {
	for _, age := range rechecks {
		if left := published.Add(age).Sub(now); left > 0 {
			return left
		}
	}
	return 0
}
