// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"

	"github.com/reelops/reelops/internal/timeline"
)

// picture makes the H.264 stream of a film and tells how many frames were encoded for it.
func (o Options) picture(ctx context.Context, tl *timeline.Timeline, paths map[string]string, video string) (int, error) {
	return o.plain(ctx, tl, paths, video)
}
