// SPDX-License-Identifier: Apache-2.0

package render

import "github.com/reelops/reelops/internal/timeline"

const screenMatters = 0.18

func (p *projector) screen(f timeline.Footage, known *facts) bool { return false }
